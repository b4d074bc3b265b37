"""``prereg judge``: record what people say of trials."""

from pathlib import Path
from typing import cast, get_args

import click

from prereg import api, judgment_views
from prereg.cli.options import as_json as json_option
from prereg.cli.options import give, run_folder
from spec_lang.judgments_file import Entry, Judged


@click.command()
@run_folder
@click.argument("trial", required=False)
@click.option(
    "--file", "path", type=click.Path(exists=True, dir_okay=False, path_type=Path), help="A file of judgments."
)
@click.option("--judgment", type=click.Choice(get_args(Judged)), help="What TRIAL is judged to be.")
@click.option("--who", help="Who judges.")
@click.option(
    "--evidence",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="A file that says what was looked at; it is kept apart from the ledger.",
)
@click.option(
    "--reason",
    help="Why a judgment that stands is revised; on an open run, with --file too, why outcomes are looked at before the close.",
)
@click.option("--arm-seen/--arm-unseen", default=None, help="Whether the judge could see which arm it was.")
@click.option("--template", "blank", is_flag=True, help="Print a file of judgments to fill in; nothing is recorded.")
@click.option("--blind", is_flag=True, help="With --template: show no arm.")
@json_option
def command(  # one argument an option of the command line
    run: Path,
    trial: str | None,
    path: Path | None,
    judgment: str | None,
    who: str | None,
    evidence: Path | None,
    reason: str | None,
    arm_seen: bool | None,
    blank: bool,
    blind: bool,
    as_json: bool,
) -> None:
    """Record what people say of trials, from a file or of one TRIAL (TASK/ARM/SEED); without either, list what stands.

    The ledger keeps every judgment. The same one again changes nothing; another one than that which stands needs a
    reason, and is kept beside it. No run and no analysis touches a judgment. On an open run, judging is a look at
    outcomes: it needs its reason, and how trials were judged is not listed before the close.
    """
    single = {"--judgment": judgment, "--who": who, "--evidence": evidence, "--reason": reason, "--arm-seen": arm_seen}
    said = [name for name, value in single.items() if value is not None]
    if blank or blind:
        if not blank or path or trial or said:
            raise click.UsageError("--template stands alone, or with --blind")
        text = api.judgment_template(run, blind=blind)
        give({"template": text}, lambda: text.rstrip("\n"), as_json=as_json)
        return
    if path is not None and (trial or set(said) - {"--reason"}):
        raise click.UsageError("give a file, or one trial with --judgment and --who")
    if path is None and (trial is not None or said) and not (trial and judgment and who and who.strip()):
        raise click.UsageError("to judge one trial, give TRIAL, --judgment and --who")
    if trial and judgment and who:
        entry = Entry(
            trial=trial,
            judgment=cast("Judged", judgment),
            who=who,
            evidence=None if evidence is None else str(evidence),
            reason=reason,
            arm_seen=arm_seen,
        )
        found = api.judge_trial(run, entry)
    else:
        found = api.judgments(run) if path is None else api.judge(run, path, reason=reason)
    give(
        judgment_views.judged_json(found),
        lambda: judgment_views.judged_text(found),
        as_json=as_json,
        talk=judgment_views.judged_talk(found),
    )
