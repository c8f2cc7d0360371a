"""Modules composed at random of operators that people use: layers, reductions, scans,
pooling, attention, index maps and losses, in several types and shapes.

The same seed gives the same text. Sizes are module-level integers, so that capture can
vary them; a size that follows from others has no name here (None) and is not used to
build layers.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field

UNARY = [
    "torch.sigmoid({0})", "torch.tanh({0})", "F.relu({0})", "F.gelu({0})", "F.silu({0})",
    "F.mish({0})", "F.softplus({0})", "F.leaky_relu({0}, 0.07)", "F.elu({0}, 1.3)",
    "F.hardswish({0})", "F.hardtanh({0}, -0.7, 0.9)", "torch.abs({0})", "{0} * {0} * 0.5",
    "torch.exp(-torch.abs({0}))", "torch.sqrt(torch.abs({0}) + 0.1)", "torch.sin({0})",
    "torch.clamp({0}, -1.1, 1.6)", "({0} * 0.37 + 0.11)", "(1.5 - {0})", "F.softsign({0})",
    "torch.where({0} > 0.2, {0}, {0} * 0.3)", "{0}.masked_fill({0} < -0.6, -0.25)",
    "F.gelu({0}, approximate='tanh')", "F.selu({0})", "F.logsigmoid({0})", "F.relu6({0})",
    "{0} / (1 + torch.abs({0}))", "torch.erf({0})", "F.softshrink({0}, 0.2)",
]
FOLDS = [
    "{0}.sum(dim={1}, keepdim={2}) * 0.1", "{0}.mean(dim={1}, keepdim={2})",
    "{0}.amax(dim={1}, keepdim={2})", "{0}.amin(dim={1}, keepdim={2})",
    "torch.var({0}, dim={1}, keepdim={2})", "torch.std({0}, dim={1}, keepdim={2}, correction=0)",
    "torch.logsumexp({0}, dim={1}, keepdim={2})",
    "torch.linalg.vector_norm({0}, dim={1}, keepdim={2}) * 0.2",
    "{0}.max(dim={1}, keepdim={2}).values", "{0}.min(dim={1}, keepdim={2})[0]",
]
LOSSES = [
    "F.mse_loss({0}, {1})", "F.l1_loss({0}, {1})", "F.smooth_l1_loss({0}, {1}, beta=0.7)",
    "F.huber_loss({0}, {1}, delta=0.6)", "F.l1_loss({0}, {1}, reduction='none')",
    "F.binary_cross_entropy_with_logits({0}, torch.sigmoid({1}))",
    "F.binary_cross_entropy(torch.sigmoid({0}), torch.sigmoid({1}))",
    "F.kl_div(F.log_softmax({0}, dim=-1), torch.softmax({1}, dim=-1), reduction='batchmean')",
    "F.soft_margin_loss({0}, torch.sign({1} + 0.01))",
    "F.mse_loss({0}, {1}, reduction='sum') * 0.01",
]


@dataclass
class Value:
    name: str
    dims: list  # an expression of the module, or None
    sizes: list  # what they are officially


@dataclass
class Module:
    rng: random.Random
    dtype: str = "float32"
    sizes: dict = field(default_factory=dict)
    init: list = field(default_factory=list)
    lines: list = field(default_factory=list)
    inputs: list = field(default_factory=list)  # (name, text)
    results: list = field(default_factory=list)
    count: int = 0

    def put(self, text: str, dims: list, sizes: list) -> Value:
        name = f"v{self.count}"
        self.count += 1
        self.lines.append(f"{name} = {text}")
        return Value(name, list(dims), list(sizes))

    def layer(self, text: str) -> str:
        name = f"m{len(self.init)}"
        self.init.append(f"self.{name} = {text}")
        return "self." + name

    def parameter(self, dims: list) -> str:
        return self.layer(f"nn.Parameter(torch.randn({', '.join(dims)}) * 0.5)")

    def like(self, value: Value) -> str | None:
        """A parameter that broadcasts to a value: its last dimensions."""
        kept = value.dims[self.rng.randrange(len(value.dims)):] if value.dims else []
        if not kept or None in kept:
            return None
        return self.parameter(["1" if self.rng.random() < 0.2 else d for d in kept])


def unary(m: Module, v: Value) -> Value:
    return m.put(m.rng.choice(UNARY).format(v.name), v.dims, v.sizes)


def binary(m: Module, v: Value) -> Value | None:
    other = m.like(v)
    if other is None:
        return None
    text = m.rng.choice(["{0} + {1}", "{0} * {1}", "{0} - {1}", "torch.maximum({0}, {1})",
                         "torch.addcmul({0}, {0}, {1}, value=0.3)", "torch.lerp({0}, {1}, 0.3)"
                         if other and m.rng.random() < 0.0 else "torch.minimum({0}, {1})"])
    return m.put(text.format(v.name, other), v.dims, v.sizes)


def fold(m: Module, v: Value) -> Value | None:
    if not v.dims:
        return None
    dim = m.rng.randrange(len(v.dims))
    keep = m.rng.random() < 0.6
    folded = m.put(m.rng.choice(FOLDS).format(v.name, dim, keep), [], [])
    if keep:
        return m.put(f"{v.name} - {folded.name}", v.dims, v.sizes)
    folded.dims, folded.sizes = v.dims[:dim] + v.dims[dim + 1:], v.sizes[:dim] + v.sizes[dim + 1:]
    return folded


def soften(m: Module, v: Value) -> Value | None:
    if not v.dims:
        return None
    form = m.rng.choice(["torch.softmax({0}, dim={1})", "F.log_softmax({0}, dim={1})",
                         "F.normalize({0}, dim={1})"])
    return m.put(form.format(v.name, m.rng.randrange(len(v.dims))), v.dims, v.sizes)


def last_norm(m: Module, v: Value) -> Value | None:
    if len(v.dims) < 2 or v.dims[-1] is None:
        return None
    kind = m.rng.choice(["nn.LayerNorm({0}, eps=1e-3)", "nn.RMSNorm({0}, eps=2e-3)"])
    return m.put(f"{m.layer(kind.format(v.dims[-1]))}({v.name})", v.dims, v.sizes)


def linear(m: Module, v: Value) -> Value | None:
    if len(v.dims) < 2 or v.dims[-1] is None:
        return None
    to = m.rng.choice(["width", "columns"])
    bias = m.rng.random() < 0.7
    layer = m.layer(f"nn.Linear({v.dims[-1]}, {to}, bias={bias})")
    return m.put(f"{layer}({v.name})", v.dims[:-1] + [to], v.sizes[:-1] + [m.sizes[to]])


def scan(m: Module, v: Value) -> Value | None:
    if not v.dims:
        return None
    d = m.rng.randrange(len(v.dims))
    text = m.rng.choice([
        "torch.cumsum({0}, dim={1}) * 0.2", "torch.cumprod(torch.sigmoid({0}) + 0.45, dim={1})",
        "torch.cummax({0}, dim={1}).values", "torch.cummin({0}, dim={1})[0]",
        "torch.logcumsumexp({0}, dim={1})",
        "torch.flip(torch.cumsum(torch.flip({0}, [{1}]), dim={1}), [{1}]) * 0.2"])
    return m.put(text.format(v.name, d), v.dims, v.sizes)


def choose(m: Module, v: Value) -> Value | None:
    if not v.dims or v.sizes[-1] < 8 or v.sizes[-1] > 4000:
        return None
    form = m.rng.choice(["topk", "sort", "argmax", "onehot", "median"])
    if form == "topk":
        k = m.rng.choice([1, 3])
        return m.put(f"torch.topk({v.name}, {k}, dim=-1)[0]", v.dims[:-1] + [None],
                     v.sizes[:-1] + [k])
    if form == "sort":
        return m.put(f"torch.sort({v.name}, dim=-1, descending={m.rng.random() < 0.5})[0]",
                     v.dims, v.sizes)
    if form == "median":
        return m.put(f"torch.median({v.name}, dim=-1, keepdim=True)[0]",
                     v.dims[:-1] + ["1"], v.sizes[:-1] + [1])
    place = m.put(f"torch.argmax({v.name}, dim=-1)", v.dims[:-1], v.sizes[:-1])
    if form == "onehot":
        return m.put(f"torch.gather({v.name}, -1, {place.name}.unsqueeze(-1))",
                     v.dims[:-1] + ["1"], v.sizes[:-1] + [1])
    m.results.append(place.name)
    return v


def move(m: Module, v: Value) -> Value | None:
    """Slices, rolls, flips, transposes, concatenations."""
    rank = len(v.dims)
    if not rank:
        return None
    d = m.rng.randrange(rank)
    n = v.name
    at = "[" + ":, " * d
    kind = m.rng.choice(["roll", "flip", "transpose", "cat", "stack", "slice", "pad", "repeat",
                         "diff", "chunk", "triangle", "even", "interleave"])
    none = v.dims[:d] + [None] + v.dims[d + 1:]
    size = v.sizes[d]

    def sized(new: int) -> list:
        return v.sizes[:d] + [new] + v.sizes[d + 1:]

    if kind == "roll":
        return m.put(f"torch.roll({n}, {m.rng.choice([2, -3])}, {d})", v.dims, v.sizes)
    if kind == "flip":
        return m.put(f"torch.flip({n}, [{d}])", v.dims, v.sizes)
    if kind == "transpose" and rank > 1:
        e = (d + 1) % rank
        dims, sizes = list(v.dims), list(v.sizes)
        dims[d], dims[e], sizes[d], sizes[e] = dims[e], dims[d], sizes[e], sizes[d]
        after = m.rng.choice(["", ".contiguous()"])
        return m.put(f"{n}.transpose({d}, {e}){after}", dims, sizes)
    if kind == "cat":
        return m.put(f"torch.cat([{n}, torch.tanh({n}), {n} * 0.5], dim={d})", none,
                     sized(3 * size))
    if kind == "stack" and rank < 4:
        return m.put(f"torch.stack([{n}, -{n}], dim={d})",
                     v.dims[:d] + [None] + v.dims[d:], v.sizes[:d] + [2] + v.sizes[d:])
    if size < 8:
        return None
    if kind == "slice":
        return m.put(f"{n}{at}2:-1]", none, sized(size - 3))
    if kind == "even":
        return m.put(f"{n}{at}1::2]", none, sized(size // 2))
    if kind == "diff":
        return m.put(f"{n}{at}1:] - {n}{at}:-1]", none, sized(size - 1))
    if kind == "repeat" and rank < 4:
        times = ", ".join("2" if i == d else "1" for i in range(rank))
        return m.put(f"{n}.repeat({times})", none, sized(2 * size))
    if kind == "interleave":
        return m.put(f"torch.repeat_interleave({n}, 2, dim={d})", none, sized(2 * size))
    if kind == "chunk" and size % 2 == 0 and v.dims[d] in m.sizes:
        a = m.put(f"{n}.chunk(2, dim={d})", [], [])
        return m.put(f"torch.sigmoid({a.name}[0]) * {a.name}[1]", none, sized(size // 2))
    if kind == "triangle" and rank > 1:
        form = m.rng.choice(["tril({0}, diagonal=1)", "triu({0})", "triu({0}, diagonal=-2)"])
        return m.put("torch." + form.format(n), v.dims, v.sizes)
    if kind == "pad":
        return m.put(f"F.pad({n}, (1, 2), value=0.3)", v.dims[:-1] + [None],
                     v.sizes[:-1] + [v.sizes[-1] + 3])
    return None


def gather_rows(m: Module, v: Value) -> Value | None:
    if len(v.dims) != 2 or v.dims[0] is None:
        return None
    text = f"torch.randint(0, {v.dims[0]}, (rows,))"
    name = f"index{len(m.inputs)}"
    m.inputs.append((name, text))
    form = m.rng.choice(["{0}[{1}]", "torch.index_select({0}, 0, {1})", "F.embedding({1}, {0})"])
    return m.put(form.format(v.name, name), ["rows", v.dims[1]], [m.sizes["rows"], v.sizes[1]])


def attend(m: Module, v: Value) -> Value | None:
    if len(v.dims) != 3 or v.dims[2] is None or v.sizes[1] > 200:
        return None
    n = v.name
    q = m.put(f"{m.layer(f'nn.Linear({v.dims[2]}, width)')}({n})", [], [])
    k = m.put(f"{m.layer(f'nn.Linear({v.dims[2]}, width)')}({n})", [], [])
    dims, sizes = v.dims[:2] + ["width"], v.sizes[:2] + [m.sizes["width"]]
    kind = m.rng.choice(["sdpa", "causal", "written", "masked", "heads"])
    if kind == "sdpa":
        text = f"F.scaled_dot_product_attention({q.name}, {k.name}, {q.name}, scale=0.2)"
        return m.put(text, dims, sizes)
    if kind == "causal":
        text = f"F.scaled_dot_product_attention({q.name}, {k.name}, {k.name}, is_causal=True)"
        return m.put(text, dims, sizes)
    if kind == "heads":
        parts = [f"{x}.unflatten(-1, (4, -1)).transpose(1, 2)" for x in (q.name, k.name, k.name)]
        out = m.put(f"F.scaled_dot_product_attention({', '.join(parts)})", [], [])
        return m.put(f"{out.name}.transpose(1, 2).flatten(2)", dims, sizes)
    scores = m.put(f"torch.matmul({q.name}, {k.name}.transpose(1, 2)) * 0.15", [], [])
    if kind == "masked":
        scores = m.put(f"{scores.name}.masked_fill(torch.ones_like({scores.name}).triu(1) > 0, "
                       "float('-inf'))", [], [])
    return m.put(f"torch.matmul(torch.softmax({scores.name}, dim=-1), {k.name})", dims, sizes)


def gram(m: Module, v: Value) -> Value | None:
    if len(v.dims) != 3 or v.sizes[1] > 200:
        return None
    form = m.rng.choice(["torch.matmul({0}, {0}.transpose(1, 2)) * 0.05",
                         "torch.einsum('bik,bjk->bij', {0}, {0}) * 0.05",
                         "torch.bmm({0}, {0}.transpose(1, 2)) * 0.05"])
    return m.put(form.format(v.name), v.dims[:2] + [v.dims[1]], v.sizes[:2] + [v.sizes[1]])


def convolve(m: Module, v: Value) -> Value | None:
    rank = len(v.dims) - 2
    if rank not in (1, 2) or v.dims[1] is None or min(v.sizes[2:]) < 9:
        return None
    rng = m.rng
    channels = v.dims[1]
    kernel, stride, padding = rng.choice([(3, 1, 1), (3, 2, 1), (5, 1, 0), (1, 1, 0), (4, 2, 1)])
    kind = rng.choice(["plain", "plain", "depthwise", "transposed", "grouped", "dilated", "same"])
    to, number = rng.choice([("width", m.sizes["width"]), ("channels", m.sizes["channels"])])
    more = ""
    if kind == "depthwise":
        to, number, more = channels, v.sizes[1], f", groups={channels}"
    if kind == "grouped":
        if v.sizes[1] % 2:
            return None
        more = ", groups=2"
    if kind == "dilated":
        kernel, stride, padding, more = 3, 1, 2, ", dilation=2, bias=False"
    if kind == "same":
        stride, padding, kernel = 1, "'same'", 3
    if kind == "transposed":
        kernel, stride, padding = rng.choice([(3, 2, 1), (2, 2, 0), (4, 2, 1)])
        more = ", output_padding=1" if kernel == 3 else ""
        layer = m.layer(f"nn.ConvTranspose{rank}d({channels}, {to}, {kernel}, stride={stride}, "
                        f"padding={padding}{more})")
        sizes = [2 * s for s in v.sizes[2:]]
    else:
        layer = m.layer(f"nn.Conv{rank}d({channels}, {to}, {kernel}, stride={stride}, "
                        f"padding={padding}{more})")
        sizes = [s // stride - 3 for s in v.sizes[2:]]
    return m.put(f"{layer}({v.name})", v.dims[:1] + [to] + [None] * rank,
                 v.sizes[:1] + [number] + sizes)


def pool(m: Module, v: Value) -> Value | None:
    rank = len(v.dims) - 2
    if rank not in (1, 2) or min(v.sizes[2:]) < 9:
        return None
    text = m.rng.choice([
        "F.max_pool{1}d({0}, 2)", "F.max_pool{1}d({0}, 3, stride=2, padding=1)",
        "F.avg_pool{1}d({0}, 3, stride=1, padding=1)", "F.avg_pool{1}d({0}, 2)",
        "F.avg_pool{1}d({0}, 3, stride=2, padding=1, count_include_pad=False)",
        "F.max_pool{1}d({0}, 3, stride=2, ceil_mode=True)", "F.adaptive_avg_pool{1}d({0}, 5)",
        "F.adaptive_max_pool{1}d({0}, 4)"])
    return m.put(text.format(v.name, rank), v.dims[:2] + [None] * rank,
                 v.sizes[:2] + [max(4, s // 2 - 1) for s in v.sizes[2:]])


def channel_norm(m: Module, v: Value) -> Value | None:
    rank = len(v.dims) - 2
    if rank not in (1, 2) or v.dims[1] is None or min(v.sizes[2:]) < 4:
        return None
    c = v.dims[1]
    kinds = [f"nn.BatchNorm{rank}d({c}).eval()", f"nn.InstanceNorm{rank}d({c}, affine=True)"]
    if v.sizes[1] % 2 == 0:
        kinds.append(f"nn.GroupNorm(2, {c})")
    return m.put(f"{m.layer(m.rng.choice(kinds))}({v.name})", v.dims, v.sizes)


def resample(m: Module, v: Value) -> Value | None:
    if len(v.dims) != 4 or min(v.sizes[2:]) < 4 or max(v.sizes[2:]) > 40:
        return None
    text, factor = m.rng.choice([
        ("F.interpolate({0}, scale_factor=2, mode='nearest')", 2),
        ("F.interpolate({0}, scale_factor=2, mode='bilinear', align_corners=False)", 2),
        ("F.pad({0}, (1, 1, 2, 2), mode='reflect')", 1),
        ("F.pad({0}, (2, 1, 1, 0), mode='replicate')", 1),
        ("F.pad({0}, (1, 1, 1, 1), mode='circular')", 1)])
    return m.put(text.format(v.name), v.dims[:2] + [None, None],
                 v.sizes[:2] + [factor * s for s in v.sizes[2:]])


def reshape(m: Module, v: Value) -> Value | None:
    rank = len(v.dims)
    if rank == 4:
        text = m.rng.choice([f"{v.name}.flatten(2).transpose(1, 2)", f"{v.name}.mean((2, 3))"])
        if "mean" in text:
            return m.put(text, v.dims[:2], v.sizes[:2])
        return m.put(text, [v.dims[0], None, v.dims[1]],
                     [v.sizes[0], v.sizes[2] * v.sizes[3], v.sizes[1]])
    if rank == 3 and m.rng.random() < 0.5:
        return m.put(f"{v.name}.flatten(1)", [v.dims[0], None], [v.sizes[0], v.sizes[1] * v.sizes[2]])
    if rank == 3:
        return m.put(f"{v.name}.unfold(1, 4, 2).mean(-1)", [v.dims[0], None, v.dims[2]],
                     [v.sizes[0], v.sizes[1] // 2 - 1, v.sizes[2]])
    return None


def logic(m: Module, v: Value) -> Value | None:
    if not v.dims:
        return None
    flag = m.put(m.rng.choice(["({0} > 0.1) & ({0} < 1.2)", "torch.isnan({0}) | ({0} <= 0)",
                               "~({0} > 0.4)"]).format(v.name), v.dims, v.sizes)
    d = m.rng.randrange(len(v.dims))
    form = m.rng.choice(["where", "any", "count", "int"])
    if form == "where":
        return m.put(f"torch.where({flag.name}, {v.name}, 0.5 * {v.name})", v.dims, v.sizes)
    left, sizes = v.dims[:d] + v.dims[d + 1:], v.sizes[:d] + v.sizes[d + 1:]
    if form == "any":
        m.results.append(m.put(f"{flag.name}.{m.rng.choice(['any', 'all'])}(dim={d})", left,
                               sizes).name)
        return v
    if form == "count":
        m.results.append(m.put(f"{flag.name}.sum(dim={d})", left, sizes).name)
        return v
    m.results.append(m.put(f"({flag.name}.to(torch.int32) * 3 - 1).cumsum({d})", v.dims,
                           v.sizes).name)
    return v


def lose(m: Module, v: Value) -> Value | None:
    if len(v.dims) != 2 or None in v.dims:
        return None
    kind = m.rng.choice(["pair", "pair", "labels", "cosine"])
    if kind == "labels":
        name = f"labels{len(m.inputs)}"
        m.inputs.append((name, f"torch.randint(0, {v.dims[1]}, ({v.dims[0]},))"))
        more = m.rng.choice(["", ", label_smoothing=0.1", ", reduction='none'", ", reduction='sum'"])
        scale = " * 0.01" if "sum" in more else ""
        kept = v.dims[:1] if "none" in more else []
        sizes = v.sizes[:1] if "none" in more else []
        return m.put(f"F.cross_entropy({v.name}, {name}{more}){scale}", kept, sizes)
    other = f"target{len(m.inputs)}"
    m.inputs.append((other, f"torch.randn({v.dims[0]}, {v.dims[1]})"))
    if kind == "cosine":
        return m.put(f"F.cosine_similarity({v.name}, {other}, dim=1)", v.dims[:1], v.sizes[:1])
    text = m.rng.choice(LOSSES)
    whole = "none" in text
    return m.put(text.format(v.name, other), v.dims if whole else [], v.sizes if whole else [])


PLAIN = [unary, unary, binary, fold, soften, last_norm, linear, move, move, scan, logic]
STEPS = {
    1: [unary, binary, fold, soften, scan, move],
    2: PLAIN + [gather_rows, lose, lose, choose],
    3: PLAIN + [attend, attend, gram, convolve, pool, channel_norm, reshape, choose],
    4: [unary, unary, binary, fold, soften, move, convolve, convolve, convolve, pool, pool,
        channel_norm, resample, reshape, scan, logic],
}
# Narrow types: what eager has kernels for, and no sums of sums that lose all digits.
NARROW = [unary, unary, binary, soften, last_norm, linear, fold, move]
STARTS = [["batch", "columns"], ["batch", "rows", "columns"], ["batch", "rows", "columns"],
          ["batch", "channels", "rows"], ["batch", "channels", "height", "length"],
          ["batch", "channels", "height", "length"]]
LARGEST = 3_000_000


def compose(seed: str) -> str:
    """The text of one module file."""
    rng = random.Random(seed)
    m = Module(rng)
    m.dtype = rng.choice(["float32"] * 6 + ["float16", "bfloat16"])
    m.sizes = {"batch": rng.choice([6, 10, 14]), "rows": rng.choice([37, 48, 70]),
               "columns": rng.choice([52, 96, 130]), "width": rng.choice([20, 44, 64]),
               "channels": rng.choice([6, 12, 18]), "height": rng.choice([18, 26, 33]),
               "length": rng.choice([20, 29, 34])}
    dims = rng.choice(STARTS[:3] if m.dtype != "float32" else STARTS)
    value = Value("x", dims, [m.sizes[d] for d in dims])
    cast = "" if m.dtype == "float32" else f".to(torch.{m.dtype})"
    m.inputs.append(("x", f"torch.randn({', '.join(dims)}){cast}"))
    wanted = rng.randint(2, 6)
    done = 0
    for _ in range(60):
        if done == wanted or not value.dims:
            break
        steps = NARROW if m.dtype != "float32" else STEPS[len(value.dims)]
        before = (len(m.init), len(m.lines), len(m.inputs), len(m.results), m.count)
        made = rng.choice(steps)(m, value)
        total = 1
        for size in made.sizes if made else []:
            total *= size
        if made is None or total > LARGEST or len(made.dims) > 4:
            del m.init[before[0]:], m.lines[before[1]:], m.inputs[before[2]:]
            del m.results[before[3]:]
            m.count = before[4]
            continue
        value, done = made, done + 1
    results = list(dict.fromkeys([value.name, *m.results]))
    if results[0] == "x":
        results[0] = "torch.relu(x)"
    tail = f"        self.to(torch.{m.dtype})" if cast else ""
    text = ["# SPDX-License-Identifier: MIT", "import torch", "import torch.nn as nn",
            "import torch.nn.functional as F", ""]
    text += [f"{name} = {size}" for name, size in m.sizes.items()]
    text += ["", "", "class Model(nn.Module):", "    def __init__(self):",
             "        super().__init__()", *[f"        {line}" for line in m.init]]
    text += [tail] if tail else []
    text += ["", f"    def forward(self, {', '.join(n for n, _ in m.inputs)}):",
             *[f"        {line}" for line in m.lines], f"        return {', '.join(results)}"]
    text += ["", "", "def get_inputs():",
             f"    return [{', '.join(t for _, t in m.inputs)}]", "", "",
             "def get_init_inputs():", "    return []", ""]
    return "\n".join(text)
