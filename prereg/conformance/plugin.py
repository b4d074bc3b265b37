"""The conformance suites as a pytest plugin: ``pytest --prereg-provider KIND``, ``--prereg-agent KIND`` or ``--prereg-sandbox KIND``.

It is loaded with every run of pytest in an environment that prereg is installed in, so it imports nothing of prereg until it is asked.
"""

from pathlib import Path

import pytest

SUITES = {"provider": ("provider.py",), "agent": ("agent.py",), "sandbox": ("sandbox.py", "isolation.py")}
"""What is asked about → the modules of tests that are run on it."""

_HERE = Path(__file__).parent


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options that ask for a suite."""
    group = parser.getgroup("prereg", "conformance of plugins of prereg")
    for asked in SUITES:
        text = f"run the conformance suite on the installed {asked} KIND"
        group.addoption(f"--prereg-{asked}", metavar="KIND", default=None, help=text)
    text = "what the suite is told of the plugin: a YAML file with its `options` as a spec writes them"
    group.addoption("--prereg-options", metavar="FILE", type=Path, default=None, help=text)


def pytest_configure(config: pytest.Config) -> None:
    """Read what is asked, and collect the suite: alone, unless other tests are named too."""
    asked = [each for each in SUITES if config.getoption(f"prereg_{each}")]
    if not asked:
        if config.getoption("prereg_options"):
            raise pytest.UsageError("--prereg-options needs --prereg-provider, --prereg-agent or --prereg-sandbox")
        return
    if len(asked) > 1:
        raise pytest.UsageError(f"one suite at a time: {', '.join(f'--prereg-{each}' for each in asked)}")
    config.stash[CASE] = _read(asked[0], config)
    modules = [str(_HERE / name) for name in SUITES[asked[0]]]
    named = [] if config.args_source is pytest.Config.ArgsSource.INVOCATION_DIR else config.args
    config.args = [*(each for each in named if each not in modules), *modules]


CASE: pytest.StashKey[object] = pytest.StashKey()
"""Where the suites find what they are told (``prereg.conformance.case_file.Case``)."""


def _read(asked: str, config: pytest.Config) -> object:
    from ledger.errors import WorldFault  # noqa: PLC0415  # imported when asked, see above
    from prereg.conformance.case_file import read_case  # noqa: PLC0415
    from spec_lang.diagnostics import SpecErrors, render  # noqa: PLC0415

    file: Path | None = config.getoption("prereg_options")
    if file is not None and not file.is_file():
        file = config.rootpath / file  # as a pyproject.toml names it, wherever pytest is started
    try:
        return read_case(asked, str(config.getoption(f"prereg_{asked}")), file)  # type: ignore[arg-type]  # a key of SUITES
    except SpecErrors as faults:
        raise pytest.UsageError("\n\n".join(render(each) for each in faults.diagnostics)) from faults
    except WorldFault as fault:
        raise pytest.UsageError("; ".join(f"{each.what}; {each.hint or each.got}" for each in fault.reasons)) from fault
    except OSError as fault:
        raise pytest.UsageError(str(fault)) from fault
