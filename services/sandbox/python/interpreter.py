"""Describes the interpreter that runs it, as one JSON object. Run with -I -S: nothing but the standard library."""

import json
import platform
import sys
import sysconfig

print(
    json.dumps(
        {
            "implementation": sys.implementation.name,
            "version": platform.python_version(),
            "platform": sysconfig.get_platform(),
            "cache_tag": sys.implementation.cache_tag,
            "executable": sys.executable,
            "standard_modules": sorted(set(sys.stdlib_module_names) | set(sys.builtin_module_names)),
        }
    )
)
