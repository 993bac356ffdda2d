#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Writes the inputs of the fuzz target pytorch_file: tiny state dicts, good and bad, as torch.save writes them.
import pathlib
import struct
import zipfile

FOLDER = pathlib.Path(__file__).parent / "pytorch_file"


def text(value):
    return b"X" + struct.pack("<I", len(value)) + value.encode()


def storage(key, elements, kind=b"FloatStorage"):
    return b"(" + text("storage") + b"ctorch\n" + kind + b"\n" + text(key) + text("cpu") + b"K" + bytes([elements]) + b"tQ"


def tensor(store, offset, size, stride):
    def sizes(values):
        return b"(" + b"".join(b"K" + bytes([v]) for v in values) + b"t"
    return (b"ctorch._utils\n_rebuild_tensor_v2\n(" + store + b"K" + bytes([offset]) + sizes(size) + sizes(stride) +
            b"\x89ccollections\nOrderedDict\n)RtR")


def state_dict(items):
    return b"\x80\x02ccollections\nOrderedDict\n)Rq\x00(" + b"".join(text(k) + v for k, v in items) + b"u}b."


def write(name, program, storages, method=zipfile.ZIP_STORED, extra=()):
    with zipfile.ZipFile(FOLDER / name, "w", method) as archive:
        for entry, content in [("m/data.pkl", program), *((f"m/data/{k}", v) for k, v in storages), *extra]:
            archive.writestr(zipfile.ZipInfo(entry), content, method)


def main():
    FOLDER.mkdir(exist_ok=True)
    floats = struct.pack("<6f", *range(6))
    plain = [("w", tensor(storage("0", 6), 0, [2, 3], [3, 1]))]
    write("valid_tensor", state_dict(plain), [("0", floats)])
    write("valid_shared", state_dict(plain + [("t", tensor(storage("0", 6), 1, [3], [2]))]), [("0", floats)])
    write("valid_half", state_dict([("w", tensor(storage("0", 2, b"HalfStorage"), 0, [2], [1]))]), [("0", b"\0\x3c\0\xbc")])
    write("bad_outside", state_dict([("w", tensor(storage("0", 6), 4, [2, 3], [3, 1]))]), [("0", floats)])
    write("bad_overlap", state_dict([("w", tensor(storage("0", 6), 0, [200, 200, 200], [0, 0, 0]))]), [("0", floats)])
    write("bad_size", state_dict(plain), [("0", floats[:-4])])
    write("bad_no_storage", state_dict(plain), [])
    write("bad_system", b"\x80\x02cos\nsystem\n" + text("true") + b"\x85R.", [])
    write("bad_instruction", b"\x80\x02]q\x00.", [])
    write("bad_no_mark", b"\x80\x02t.", [])
    write("bad_big_endian", state_dict(plain), [("0", floats)], extra=[("m/byteorder", b"big")])
    write("bad_compressed", state_dict(plain), [("0", floats * 20)], zipfile.ZIP_DEFLATED)


if __name__ == "__main__":
    main()
