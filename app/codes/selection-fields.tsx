/** Hidden fields that identify the chosen codes. */
export function SelectionFields({ selection }: { selection: [name: string, value: string][] }) {
  return selection.map(([name, value]) => (
    <input key={`${name} ${value}`} type="hidden" name={name} value={value} />
  ));
}
