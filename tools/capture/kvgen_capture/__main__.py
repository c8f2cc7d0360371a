from kvgen_capture.cli import main

raise SystemExit(main())
