document.addEventListener('click', (event) => {
  const button = event.target.closest('button[data-copy]');
  if (!button) return;
  const select = () => {
    const range = document.createRange();
    range.selectNodeContents(button.previousElementSibling);
    getSelection().removeAllRanges();
    getSelection().addRange(range);
    button.textContent = 'Selected';
  };
  if (!navigator.clipboard) { select(); return; }
  navigator.clipboard.writeText(button.dataset.copy).then(() => { button.textContent = 'Copied'; }, select);
});
