# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Looks at the site with a browser without a window, at the width of a desk and of a phone."""
import html
import os
import re
import shutil
import subprocess

WIDTHS = {"desk": (1280, 900), "phone": (390, 844)}
PAGES = ("index.html", "page-krylov.html", "page-using-plans.html", "page-performance.html", "classheddle_1_1CgSolver.html",
         "search.html?q=tolerance")
FINDS = {"tolerance": "page-krylov.html", "restart": "page-krylov.html", "pip install": "page-python.html",
         "apply_dot": "classheddle_1_1SpmvPlan.html", "rigid body": "page-multigrid.html"}
# Each page in a frame of each width: what is wider than the frame, and whether tree and menu are seen.
SCRIPT = r"""<!DOCTYPE html><body><script>
const pages = %s, widths = %s;
const said = [];
async function look() {
  for (const page of pages) for (const [place, width] of widths) {
    const frame = document.createElement("iframe");
    Object.assign(frame.style, {width: width + "px", height: "800px"});
    await new Promise((done) => { frame.onload = done; frame.src = page; document.body.append(frame); });
    await new Promise((done) => setTimeout(done, 300));
    const seen = (id) => { const e = frame.contentDocument.getElementById(id); return e && e.getClientRects().length > 0; };
    const content = frame.contentDocument.getElementById("doc-content");
    if (content.scrollWidth > width + 1) {
      const wide = [...content.querySelectorAll("*")].filter((e) => e.getBoundingClientRect().right > width + 1 &&
          !e.parentElement.closest("table, .fragment, .memproto"));
      said.push(`${page}: ${content.scrollWidth} px wide on a ${place} of ${width}: ${wide.map((e) => e.outerHTML.slice(0, 60).replace(/\s+/g, " "))}`);
    }
    if (seen("side-nav") !== (place === "desk")) said.push(`${page}: the tree on a ${place}`);
    if (seen("menu") !== (place === "phone")) said.push(`${page}: the menu on a ${place}`);
    if (!seen("searchform")) said.push(`${page}: no field to search on a ${place}`);
    if (page.includes("?q=") && !frame.contentDocument.querySelector(".found")) said.push(`${page}: nothing on a ${place}`);
    frame.remove();
  }
  document.body.innerHTML = "<pre id=said></pre>";
  document.getElementById("said").textContent = said.map((line) => line + "\n").join("") + "looked";
}
look();
</script></body>"""


def browser():
    return next((path for path in map(shutil.which, ("chromium-headless-shell", "chromium", "google-chrome")) if path), None)


def run(*arguments):
    command = [browser(), "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars",
               "--allow-file-access-from-files", "--virtual-time-budget=60000"]
    return subprocess.run(command + list(arguments), capture_output=True, text=True, timeout=300)


def faults(folder, out):
    if browser() is None:
        print("look: there is no chromium here, so no browser looks at the site")
        return
    def page(name):
        return "file://" + os.path.join(folder, name)

    for query, wanted in FINDS.items():
        dom = run("--dump-dom", page("search.html?q=" + query.replace(" ", "+"))).stdout
        found = re.findall(r'<div class="found"><a href="([^"#]*)', dom)
        if wanted not in found[:5]:
            yield "search for \"%s\": %s is not among the first five, %s" % (query, wanted, found[:5])
    script = os.path.join(out, "look.html")
    with open(script, "w") as file:
        file.write(SCRIPT % ([page(name) for name in PAGES], [[place, size[0]] for place, size in WIDTHS.items()]))
    said = re.search(r'<pre id="said">(.*?)</pre>', run("--dump-dom", "file://" + script).stdout, flags=re.S)
    lines = html.unescape(said[1]).splitlines() if said else ["look: the browser said nothing"]
    yield from (line.replace("file://" + folder + "/", "") for line in lines if line != "looked")
    os.makedirs(os.path.join(out, "screenshots"), exist_ok=True)
    for place, size in WIDTHS.items():
        for name in PAGES:
            picture = os.path.join(out, "screenshots", "%s-%s.png" % (re.sub(r"\W+", "-", name), place))
            run("--window-size=%d,%d" % size, "--screenshot=" + picture, page(name))
            if not os.path.exists(picture):
                yield "look: no screenshot of %s" % name
