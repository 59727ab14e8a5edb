// What the theme's controls lack for who does not see them.
for (const button of document.querySelectorAll("button.navbar-toggler"))
  button.setAttribute("aria-label", button.dataset.target === "#navbar-collapse" ? "Menu" : "Contents of the page");
for (const scrolled of document.querySelectorAll("pre, table")) scrolled.tabIndex = 0;
