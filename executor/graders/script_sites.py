"""Finds the call sites of an API in TypeScript and JavaScript files: imports, re-exports and aliases are followed."""

from collections.abc import Iterator

from ast_grep_py import SgNode

from executor.graders.patterns import node_site, pattern_sites
from executor.graders.script_names import FUNCTIONS, Links, Script, Target, read_scripts, stem, text_of, wanted
from executor.graders.sites import Api, Asked, Files, Form, Site, Survey, survey_of

_SAID = ("import_specifier", "import_clause", "namespace_import", "export_specifier", "pair_pattern", "type_query")
_DEFINED = ("function_declaration", "class_declaration", "function_signature", "generator_function_declaration")


def survey_scripts(files: Files, asked: Asked, language: str) -> Survey:
    """Search files as a whole: a name is followed through all of them. Nothing is run."""
    scripts, unread = read_scripts(files, language)
    links = Links(scripts=scripts)
    apis = wanted(asked.apis)
    found = list[Site]()
    every = [each for same in scripts.values() for each in same]
    for script in every:
        try:
            found += _search(script, links, apis, asked.apis)
        except RecursionError:  # names that stand for names, longer than anybody writes
            unread.append(script.path)
    found += pattern_sites(files, language, asked.patterns)
    spans = [each for script in every for each in _definitions(script, (*asked.apis, *asked.within))]
    kept = (each for each in found if each.form == "dynamic" or not _inside(each, spans))
    return survey_of(kept, unread)


def _search(script: Script, links: Links, apis: frozenset[Target], asked: tuple[Api, ...]) -> Iterator[Site]:
    for kind in ("identifier", "shorthand_property_identifier", "member_expression"):
        for node in script.root.find_all(kind=kind):
            if apis & links.of(script, node) and not _shadowed(node, apis, script, links):
                form = _form(node)
                if form is not None:
                    yield node_site(script.path, script.lines, node, form)
    for each in script.root.find_all(kind="export_specifier"):
        alias, name = each.field("alias"), each.field("name")
        exported = alias or name
        if exported is None:
            continue
        for target in script.exported.get(exported.text(), ()):
            stands = links.name(script, target) if isinstance(target, str) else links.member(*target)
            if apis & stands and not _defines(script, apis, str(target)):
                yield node_site(script.path, script.lines, each, "re-export")
                break
    if asked:
        yield from _dynamic(script, links, asked)


def _defines(script: Script, apis: frozenset[Target], name: str) -> bool:
    """Say whether a file exports what it defines itself: that is where the API lives, no re-export."""
    return any(links_to == (script.path.rpartition(".")[0], name) for links_to in apis)


def _form(node: SgNode) -> Form | None:
    """Say how an expression that stands for the API is used, or None where its name is only declared or bound."""
    parent = node.parent()
    if parent is None or parent.kind() in (*_SAID, *_DEFINED) or _same(_bound(parent), node):
        return None
    kind = parent.kind()
    if kind == "variable_declarator":
        if _same(parent.field("name"), node):
            return None
        return "re-export" if _exported(parent) else None
    if kind in ("call_expression", "new_expression"):
        above = parent.parent()
        return "decorator" if above is not None and above.kind() == "decorator" else "call"
    if kind == "decorator":
        return "decorator"
    if kind == "member_expression" and _same(parent.field("object"), node):
        return _through_method(parent)
    if kind == "arguments":
        call = parent.parent()
        function = call.field("function") if call is not None else None
        return (
            "partial"
            if function is not None and function.text().rpartition(".")[2].startswith("partial")
            else "reference"
        )
    return "reference"


def _through_method(member: SgNode) -> Form:
    name, above = member.field("property"), member.parent()
    called = above is not None and above.kind() == "call_expression" and _same(above.field("function"), member)
    if called and name is not None:
        if name.text() == "bind":
            return "partial"
        if name.text() in ("call", "apply"):
            return "call"
    return "reference"


def _exported(declared: SgNode) -> bool:
    declaration = declared.parent()
    above = declaration.parent() if declaration is not None else None
    return above is not None and above.kind() == "export_statement"


def _shadowed(node: SgNode, apis: frozenset[Target], script: Script, links: Links) -> bool:
    """Say whether a parameter, or a variable of a block around it, hides the name that stands for the API."""
    inner = node.field("object") if node.kind() == "member_expression" else node
    name = inner.text() if inner is not None else ""
    for above in node.ancestors():
        if above.kind() in FUNCTIONS:
            single = above.field("parameter")  # `x => …`
            if name in _parameters(above) or (single is not None and single.text() == name):
                return True
        if above.kind() == "statement_block" and _declares(above, name, apis, script, links):
            return True
    return False


def _bound(parameter: SgNode) -> SgNode | None:
    """Give what a parameter binds: ``x`` of ``x = old``, where ``old`` is a use."""
    return parameter.field("pattern") or (parameter.field("left") if parameter.kind() == "assignment_pattern" else None)


def _parameters(function: SgNode) -> set[str]:
    parameters = function.field("parameters")
    bound = [] if parameters is None else [_bound(each) or each for each in parameters.children()]
    inner = [each.text() for node in bound for each in node.find_all(kind="identifier")]
    taken = [each.text() for node in bound for each in node.find_all(kind="shorthand_property_identifier_pattern")]
    return {*inner, *taken, *(node.text() for node in bound)}


def _declares(block: SgNode, name: str, apis: frozenset[Target], script: Script, links: Links) -> bool:
    for statement in block.children():
        if statement.kind() in ("lexical_declaration", "variable_declaration"):
            for declared in statement.children():
                if declared.kind() == "variable_declarator" and (said := declared.field("name")) is not None:
                    value = declared.field("value")
                    if said.text() == name and (value is None or not apis & links.of(script, value)):
                        return True
    return False


def _dynamic(script: Script, links: Links, asked: tuple[Api, ...]) -> Iterator[Site]:
    """Give what calls by a name that only a run knows."""
    spoken = {each.name for each in asked}
    for each in script.root.find_all(kind="string"):
        above = each.parent()
        if text_of(each) in spoken and (above is None or above.kind() not in ("import_statement", "literal_type")):
            yield node_site(script.path, script.lines, each, "dynamic")
    for each in script.root.find_all(kind="subscript_expression"):
        base, index = each.field("object"), each.field("index")
        computed = index is not None and index.kind() not in ("string", "number")
        if computed and base is not None and any(name == "*" for _, name in links.of(script, base)):
            yield node_site(script.path, script.lines, each, "dynamic")
    for each in script.root.find_all(kind="call_expression"):
        function, arguments = each.field("function"), each.field("arguments")
        if function is None or arguments is None or function.text() not in ("require", "import", "eval", "Function"):
            continue
        if function.text() in ("eval", "Function") or all(a.kind() != "string" for a in arguments.children()):
            yield node_site(script.path, script.lines, each, "dynamic")


def _definitions(script: Script, apis: tuple[Api, ...]) -> Iterator[tuple[str, int, int]]:
    for api in apis:
        if stem(api.module) == stem(script.path):
            for kind in (*_DEFINED, "variable_declarator"):
                for each in script.root.find_all(kind=kind):
                    name = each.field("name")
                    if name is not None and name.text() == api.name:
                        yield script.path, each.range().start.line + 1, each.range().end.line + 1


def _inside(site: Site, spans: list[tuple[str, int, int]]) -> bool:
    return any(path == site.path and first <= site.line <= last for path, first, last in spans)


def _same(one: SgNode | None, other: SgNode) -> bool:
    return one is not None and one.range() == other.range() and one.kind() == other.kind()
