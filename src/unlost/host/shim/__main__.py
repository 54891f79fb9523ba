"""Where a shim starts: `python -I -S …/unlost/host/shim/__main__.py`.

Isolated mode puts nothing of ours on the path and `-S` no installed package, so that neither the user's environment
nor a work tree can change what runs here. The folder that holds `unlost` goes last: it may be `site-packages`, and no
module there may stand before the standard library's.
"""

from __future__ import annotations

import sys

sys.path.append(__file__.removesuffix("/unlost/host/shim/__main__.py"))

from unlost.host.shim.main import main

if __name__ == "__main__":
    sys.exit(main())
