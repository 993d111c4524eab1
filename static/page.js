// What the panels add to viser's page. The page imports this once, however often its controls come
// and go.

// A text field counts on Enter. viser's page sends at most one message every 50 ms and drops all
// but the newest of those that wait, whatever control they belong to: Enter right after a key would
// confirm a text that never arrives. So Enter is a blank at the end of the text, which travels with
// it, and comes again until the server has answered by writing the value in force.
const writeValue = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value").set;
const CONFIRM_AGAIN_MS = 400;

function confirmText(input, tries) {
  writeValue.call(input, input.value + " ");
  input.dispatchEvent(new Event("input", { bubbles: true }));
  setTimeout(() => {
    if (tries > 0 && input.isConnected && input.value.endsWith(" ")) confirmText(input, tries - 1);
  }, CONFIRM_AGAIN_MS);
}

document.addEventListener(
  "keydown",
  (event) => {
    const input = event.target;
    if (event.key !== "Enter" || input.tagName !== "INPUT" || !input.form) return;
    event.preventDefault();
    confirmText(input, 10);
  },
  true,
);

// viser's buttons have no help of their own. Theirs travels in their icon.
function giveButtonsTheirHelp() {
  for (const help of document.querySelectorAll("button [data-help]")) {
    const button = help.closest("button");
    if (button.title !== help.dataset.help) button.title = help.dataset.help;
  }
}

// Text is copied without asking the server, within the click: later the browser would refuse. Where
// it refuses anyway, the text is left selected for the user to copy.
async function copyText(button) {
  const field = button.closest("[data-copied]");
  const text = field.querySelector("pre");
  const answer = field.querySelector("[role=status]");
  let copied = false;
  try {
    await navigator.clipboard.writeText(text.textContent);
    copied = true;
  } catch {
    text.hidden = false;
    getSelection().selectAllChildren(text);
    copied = document.execCommand("copy");
  }
  answer.textContent = copied
    ? "Copied."
    : "The browser does not let this page copy. The text is selected: press Ctrl+C or Cmd+C.";
}

document.addEventListener("click", (event) => {
  const button = event.target.closest?.("button[data-copy]");
  if (button) copyText(button);
});

// Without a connection viser's page freezes all controls and says nothing. It tries again every
// second, but only while it has the focus.
const notice = document.createElement("div");
notice.className = "workbench-lost";
notice.setAttribute("role", "alert");
notice.innerHTML = "<b>No connection to the workbench</b><span></span>";
notice.hidden = true;
document.body.append(notice);

function sayWhetherConnected() {
  const block = document.querySelector(".workbench");
  notice.hidden = block === null || getComputedStyle(block).pointerEvents !== "none";
  if (notice.hidden) return;
  const trying = document.hasFocus()
    ? "This page tries again every second"
    : "Click on this page and it tries again";
  const text =
    `${trying} and then shows everything as it is there. ` +
    "If the program has ended, start it again and open the address that it prints.";
  const line = notice.querySelector("span");
  if (line.textContent !== text) line.textContent = text;
}

setInterval(() => {
  giveButtonsTheirHelp();
  sayWhetherConnected();
}, 250);
