# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What Doxygen does not do for the site: the frame of its pages, and the texts that search.js searches."""
import html
import html.parser
import json
import os
import re

HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
# Lists of names, which are in the pages themselves.
LISTS = re.compile(r".*-members\.html|(dir_|group-|namespacemembers).*|"
                   r"(annotated|classes|concepts|doxygen_crawl|hierarchy|namespaces|pages|search|topics)\.html")


def frame(header, groups, version):
    """Doxygen's header with ours in it: the name and version, the field of the search, and, for narrow
    screens that have no tree, a menu of `groups`: (title, [(title of a page, its address)])."""
    menu = "".join("<b>%s</b>%s" % (html.escape(title), "".join(
        '<a href="%s">%s</a>' % (address, html.escape(page)) for page, address in pages)) for title, pages in groups)
    ours = """<div id="titlearea">
<a id="brand" href="index.html">Heddle <span id="projectnumber">%s</span></a>
<form id="searchform" action="search.html"><input name="q" type="search" placeholder="Search" aria-label="Search" accesskey="S"/></form>
<details id="menu"><summary>Contents</summary><nav>%s</nav></details>
</div>""" % (version, menu)
    header = re.sub(r"<!--BEGIN TITLEAREA-->.*<!--END TITLEAREA-->", lambda _: ours, header, flags=re.S)
    return header.replace("$mermaidjs\n", "")  # loads a program from another host


class Sections(html.parser.HTMLParser):
    """The sections of a page: [heading, anchor, text]."""

    def __init__(self, text):
        super().__init__()
        self.title, self.sections = "", [["", "", []]]
        self.depth = 0       # of <div> in the contents; 0: outside
        self.inside = None   # "title", or the heading that is open
        self.note = None     # the depth of what appears under a mouse, which is no text of the page
        self.anchor = ""     # the last one, which Doxygen puts before or into its heading
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        names = dict(attributes)
        classes = (names.get("class") or "").split()
        if tag == "div" and (self.depth or "contents" in classes or "title" in classes):
            self.depth += 1
            if self.depth == 1 and "title" in classes:
                self.inside = "title"
            if "ttc" in classes:
                self.note = self.depth
        if not self.depth:
            return
        if tag == "a" and (names.get("id") or names.get("name")):
            self.anchor = names.get("id") or names["name"]
            if self.inside in HEADINGS:
                self.sections[-1][1] = self.anchor
        if tag in HEADINGS and "groupheader" not in classes:
            self.inside = tag
            self.sections.append(["", names.get("id") or self.anchor, []])

    def handle_endtag(self, tag):
        if self.inside == tag or (self.inside == "title" and tag == "div"):
            self.inside = None
        if tag == "div" and self.depth:
            if self.note == self.depth:
                self.note = None
            self.depth -= 1

    def handle_data(self, data):
        if self.inside == "title":
            self.title += data
        elif self.inside:
            self.sections[-1][0] += data
        elif self.depth and self.note is None:
            self.sections[-1][2].append(data)


def weight_of(name):
    """Guides before the reference, before notes of the design and what happened long ago."""
    if name.startswith(("page-design", "page-changelog")):
        return 0.4
    return 1.5 if name.startswith(("page-", "index")) else 1


def write_texts(folder):
    """search-text.js of all pages in `folder`."""
    def clean(text):
        return re.sub(r"\s+", " ", text.replace("\u25c6", "")).strip()

    texts = []
    for name in sorted(os.listdir(folder)):
        if not name.endswith(".html") or LISTS.fullmatch(name):
            continue
        with open(os.path.join(folder, name)) as file:
            page = Sections(file.read())
        title = re.sub(r" (Class|Struct)( Template)? Reference$", "", clean(page.title)) or "Heddle"
        for heading, anchor, pieces in page.sections:
            text = clean(" ".join(pieces))
            if text or heading:
                address = name + ("#" + anchor if heading else "")
                texts.append([title, clean(heading), address, weight_of(name), text])
    with open(os.path.join(folder, "search-text.js"), "w") as file:
        file.write("const searchText = " + json.dumps(texts, ensure_ascii=False, separators=(",", ":")) + ";\n")
    return len(texts)
