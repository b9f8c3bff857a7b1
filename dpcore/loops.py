"""Loops that numba compiles once, and whose machine code is kept, so that a later process calls them without numba.

To load numba, and the loops that it keeps itself, takes longer than counting a hundred thousand trips. The machine code of a loop over plain
arrays needs neither numba nor Python: LLVM alone loads it. It is kept where numba keeps its own, under a name that
follows from the source, the versions, the processor and the types. What does not fit is left to numba: a loop that makes arrays or
calls anything but mathematics, an array in pieces, another way of passing arrays.
"""

from __future__ import annotations

import ctypes
import json
import os
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import cache, cached_property
from hashlib import blake2b
from pathlib import Path
from threading import Lock
from typing import Any, Final, NamedTuple, TypeVar

import numpy as np

from dpcore import disk
from dpcore.errors import InternalError

Result = TypeVar("Result")

_OPTIONS: Final[dict[str, Any]] = {"nogil": True, "fastmath": False, "error_model": "numpy"}
"""Without the interpreter's lock, so that threads count at the same time; sums in exact order."""
_NUMBERS: Final = {int: "q", np.int64: "q", np.uint64: "Q", float: "d", np.float64: "d"}
_PASSED: Final = {"q": ctypes.c_int64, "Q": ctypes.c_uint64, "d": ctypes.c_double}
_RESULTS: Final = {
    "none": None,
    "int64": ctypes.c_int64,
    "uint64": ctypes.c_uint64,
    "float64": ctypes.c_double,
    "bool": ctypes.c_bool,
}
_MATHEMATICS: Final = {"sin", "cos", "asin", "log", "sqrt", "floor", "ceil", "memset", "memcpy", "memmove"}
"""What the code of a loop may call: functions of the C library."""
_FINE: Final = (0, -2)  # numba's codes of a result, and of none
_CHECKSUM: Final = 16
_LOCK: Final = Lock()


def loop(function: Callable[..., Result]) -> Callable[..., Result]:
    """The function as machine code, called with arrays and numbers. Other loops of its module may be called in it."""
    return _Loop(function)


class _At:
    """A function that reads some bits of memory at an address, for loops alone."""

    def __init__(self, bits: int) -> None:
        self._bits = bits

    def __call__(self, _: np.uint64) -> np.uint64:
        raise InternalError.at("memory outside of a loop")

    @property
    def _numba_type_(self) -> Any:  # noqa: ANN401 - numba has no types
        """What numba takes this object for."""
        return self._compiled._numba_type_

    @cached_property
    def _compiled(self) -> Any:  # noqa: ANN401 - as above
        import numba as nb  # noqa: PLC0415 - takes long to load
        from llvmlite import ir  # noqa: PLC0415 - as above
        from numba.extending import intrinsic  # noqa: PLC0415 - as above

        bits = ir.IntType(self._bits)

        def read(_: Any, address: Any) -> Any:  # noqa: ANN401 - as above
            def code(_: Any, builder: Any, __: Any, args: Any) -> Any:  # noqa: ANN401 - as above
                found = builder.load(builder.inttoptr(args[0], bits.as_pointer()))
                return builder.zext(found, ir.IntType(64)) if self._bits < 64 else found

            return nb.types.uint64(address), code

        memory: Any = intrinsic(read)

        def at(address: Any) -> Any:  # noqa: ANN401 - as above
            return memory(address)

        return nb.njit(at)


word_at: Final = _At(64)
byte_at: Final = _At(8)


class _Code(NamedTuple):
    """The machine code of a loop for some types."""

    symbol: str
    result: str
    content: bytes


class _Loop:
    def __init__(self, function: Callable[..., Any]) -> None:
        self.__doc__, self.__name__ = function.__doc__, function.__name__
        self._function = function
        self._known: dict[str, Callable[..., Any] | None] = {}

    def __call__(self, *args: Any) -> Any:  # noqa: ANN401 - as the function
        types, flat = _flattened(args)
        if types not in self._known:
            with _LOCK:
                if types not in self._known:
                    self._known[types] = self._native(types) if types else None
        native = self._known[types]
        return self._numba(*args) if native is None else native(*flat)

    @property
    def signatures(self) -> list[str]:
        """The types for which there is machine code."""
        return [*self._known]

    @property
    def _numba_type_(self) -> Any:  # noqa: ANN401 - numba has no types
        """What numba takes this object for where another loop calls it."""
        return self._bare._numba_type_

    @cached_property
    def _numba(self) -> Any:  # noqa: ANN401 - as above
        """The function as numba compiles and keeps it."""
        return self._compiler(cache=True)

    @cached_property
    def _bare(self) -> Any:  # noqa: ANN401 - as above
        """The function as numba compiles it where nobody owns an array."""
        return self._compiler(_nrt=False)

    def _compiler(self, **options: bool) -> Any:  # noqa: ANN401 - as above
        import numba as nb  # noqa: PLC0415 - takes long to load

        compiler: Any = nb.njit
        return compiler(**_OPTIONS, **options)(self._function)

    def _native(self, types: str) -> Callable[..., Any] | None:
        """The loop for some types without numba; None if that cannot be."""
        try:
            places = self._places(types)
        except (OSError, RuntimeError):  # an archive, from which numba can keep code; or nobody has a home
            return None
        code = next((kept for place in places if (kept := _read(place)) is not None), None)
        if code is None and (code := self._made(types)) is not None:
            _keep(places, code)
        return None if code is None else _linked(code, types)

    def _places(self, types: str) -> list[Path]:
        """Where its code may be kept: beside numba's own, or in the user's folder where the package cannot be written.

        Raises OSError where the source cannot be read, RuntimeError where the user has no folder.
        """
        source = Path(self._function.__code__.co_filename)
        name = blake2b(f"{_surroundings()}\n{types}\n".encode() + source.read_bytes(), digest_size=12)
        own = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "dpcore"
        said = os.environ.get("NUMBA_CACHE_DIR")
        folders = [Path(said)] if said else [source.parent / "__pycache__", own]
        return [one / f"{source.stem}.{self.__name__}-{name.hexdigest()}.loop" for one in folders]

    def _made(self, types: str) -> _Code | None:
        import llvmlite.binding as llvm  # noqa: PLC0415 - needed for new code alone
        import numba as nb  # noqa: PLC0415 - as above

        signature = tuple(
            nb.types.Array(nb.from_dtype(np.dtype(one[0])), int(one[1]), "C")
            if len(one) > 1
            else nb.from_dtype(np.dtype(one))
            for one in types.split()
        )
        try:
            self._bare.compile(signature)
            made = self._bare.overloads[signature]
            symbol, result = made.fndesc.llvm_func_name, str(made.signature.return_type)
            module = llvm.parse_assembly(made.library.get_llvm_str())
            _drop_all_but(module, symbol)
        except (nb.core.errors.NumbaError, AttributeError):  # it makes arrays; an older LLVM
            return None
        asked = [str(one.type) for one in module.get_function(symbol).arguments]
        calls = {one.name for one in (*module.functions, *module.global_variables) if one.is_declaration}
        foreign = {name for name in calls - _MATHEMATICS if not name.startswith("llvm.")}
        if foreign or asked != ["ptr", "ptr", *_asked(types)] or result not in _RESULTS:
            return None
        return _Code(symbol, result, _target_machine().emit_object(module))


def _flattened(args: Sequence[Any]) -> tuple[str, list[Any]]:
    """The types of arguments, and what is passed for them; empty types where numba must do it."""
    types, flat = [], list[Any]()
    for one in args:
        if isinstance(one, np.ndarray):
            flags = one.flags
            if not (flags.c_contiguous and flags.aligned and one.dtype.isnative):
                return "", flat
            types.append(f"{one.dtype.char}{one.ndim}")
            flat += None, None, one.size, one.itemsize, one.__array_interface__["data"][0]
            flat += one.shape
            flat += one.strides
        elif type(one) in _NUMBERS:
            types.append(_NUMBERS[type(one)])
            flat.append(one.item() if isinstance(one, np.generic) else one)
        else:
            return "", flat
    return " ".join(types), flat


def _asked(types: str) -> list[str]:
    """The types of LLVM for what ``_flattened`` passes."""
    asked: list[str] = []
    for one in types.split():
        if len(one) > 1:
            asked += ["ptr", "ptr", "i64", "i64", "ptr", *["i64"] * 2 * int(one[1])]
        else:
            asked.append("double" if one == "d" else "i64")
    return asked


def _passed(types: str) -> list[Any]:
    """The same as types of C."""
    found: list[Any] = []
    for one in types.split():
        if len(one) > 1:
            numbers = [ctypes.c_int64] * 2
            found += [ctypes.c_void_p] * 2 + numbers + [ctypes.c_void_p] + numbers * int(one[1])
        else:
            found.append(_PASSED[one])
    return found


@cache
def _surroundings() -> str:
    """Everything but the source and the types that machine code follows from. Raises OSError where numba lies elsewhere than LLVM."""
    import llvmlite  # noqa: PLC0415 - few commands call loops
    import llvmlite.binding as llvm  # noqa: PLC0415 - as above

    # to ask numba for its version would load it
    of_numba = (Path(llvmlite.__file__).parents[1] / "numba" / "_version.py").read_text(encoding="utf-8")
    versions = of_numba, llvmlite.__version__, sys.version
    processor = llvm.get_host_cpu_name(), llvm.get_host_cpu_features().flatten()
    return "\n".join((*versions, *processor, Path(__file__).read_text(encoding="utf-8")))


@cache
def _target_machine() -> Any:  # noqa: ANN401 - llvmlite has no types
    import llvmlite.binding as llvm  # noqa: PLC0415 - as above

    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    return llvm.Target.from_default_triple().create_target_machine(
        cpu=llvm.get_host_cpu_name(),
        features=llvm.get_host_cpu_features().flatten(),
        opt=3,
        reloc="static" if os.uname().machine == "x86_64" else "default",
        codemodel="jitdefault",
        jit=True,
    )


@cache
def _linker() -> Any:  # noqa: ANN401 - as above
    import llvmlite.binding as llvm  # noqa: PLC0415 - as above

    machine = _target_machine()
    return llvm.create_mcjit_compiler(llvm.parse_assembly(""), machine)


def _drop_all_but(module: Any, symbol: str) -> None:  # noqa: ANN401 - as above
    """Remove what the function does not need: how Python calls it, mostly."""
    import llvmlite.binding as llvm  # noqa: PLC0415 - as above

    for one in (*module.functions, *module.global_variables):
        if not one.is_declaration and one.name != symbol:
            one.linkage = "internal"
    passes = llvm.create_new_module_pass_manager()
    passes.add_global_dead_code_eliminate_pass()
    passes.run(module, llvm.create_pass_builder(_target_machine(), llvm.create_pipeline_tuning_options(0)))


def _linked(code: _Code, types: str) -> Callable[..., Any] | None:
    """The machine code as a function; None where the C library lacks what it may call."""
    import llvmlite.binding as llvm  # noqa: PLC0415 - as above

    linker = _linker()
    if not all(llvm.address_of_symbol(name) for name in _MATHEMATICS):
        return None
    linker.add_object_file(llvm.ObjectFileRef.from_data(code.content))
    linker.finalize_object()
    native = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.c_void_p, *_passed(types))(
        linker.get_function_address(code.symbol)
    )
    kind = _RESULTS[code.result]

    def called(*flat: Any) -> Any:  # noqa: ANN401 - as the function
        found, fault = (kind or ctypes.c_void_p)(), ctypes.c_void_p()
        if native(ctypes.byref(found), ctypes.byref(fault), *flat) not in _FINE:
            raise InternalError.at(f"a loop ({code.symbol})")
        return None if kind is None else found.value

    return called


def _read(place: Path) -> _Code | None:
    """Kept code; None if there is none or it was damaged."""
    with suppress(OSError, ValueError):
        kept = place.read_bytes()
        if blake2b(kept[_CHECKSUM:], digest_size=_CHECKSUM).digest() == kept[:_CHECKSUM]:
            about, _, content = kept[_CHECKSUM:].partition(b"\n")
            symbol, result = json.loads(about)
            return _Code(symbol, result, content)
    return None


def _keep(places: Sequence[Path], code: _Code) -> None:
    """Keep code in the first folder that can be written, if there is one; otherwise it is compiled again."""
    content = json.dumps(code[:-1]).encode() + b"\n" + code.content
    for place in places:
        with suppress(OSError):
            place.parent.mkdir(parents=True, exist_ok=True)
            with disk.written(place, lasting=False) as part:
                part.write_bytes(blake2b(content, digest_size=_CHECKSUM).digest() + content)
            return
