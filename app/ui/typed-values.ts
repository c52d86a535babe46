type Control = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;

/**
 * Remembers what every field of the page's forms holds; calling what it answers puts that back wherever it has
 * changed. Files cannot be put back, and stay as long as their field does.
 */
export function holdTyped(): () => void {
  const controls = [...document.querySelectorAll<Control>('main :is(input, select, textarea)')].filter(
    ({ type }) => type !== 'hidden' && type !== 'file',
  );
  const held = controls.map((control) => ({ control, ...readValue(control) }));
  return () => {
    for (const { control, value, checked } of held) {
      if (control.value !== value) control.value = value;
      if (control instanceof HTMLInputElement && control.checked !== checked) control.checked = checked;
    }
  };
}

function readValue(control: Control) {
  return { value: control.value, checked: control instanceof HTMLInputElement && control.checked };
}
