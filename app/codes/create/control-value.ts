/** The value the control would post; empty for an unticked box. */
export function textOf(control: RadioNodeList | Element | null): string {
  if (control instanceof HTMLInputElement && /^(?:checkbox|radio)$/.test(control.type)) {
    return control.checked ? control.value : '';
  }
  return control && 'value' in control ? String(control.value) : '';
}
