document.addEventListener('click', (event) => {
  const button = event.target.closest('.command button');
  if (!button) return;
  const command = button.previousElementSibling;
  const select = () => {
    const range = document.createRange();
    range.selectNodeContents(command);
    getSelection().removeAllRanges();
    getSelection().addRange(range);
    button.textContent = 'Selected';
  };
  if (!navigator.clipboard) { select(); return; }
  navigator.clipboard.writeText(command.textContent).then(() => { button.textContent = 'Copied'; }, select);
});
