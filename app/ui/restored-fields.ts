import { useLocation } from '@remix-run/react';
import { useEffect, useRef } from 'react';

/** Forms remembered at a time, the last ones left. */
const MOST = 20;

/** What forms held when they were left, in this document only: gone with it, and told to no server. */
const kept = new Map<string, Typed[]>();

/**
 * Fills a form again with what it held when it was left without a page load: on the same step of the browser's
 * history, or wherever it opens again when it has a `place` of its own. Browsers do so for documents only.
 */
export function useRestoredFields(id: string, place?: string): void {
  const { key } = useLocation();
  const step = useRef('');
  step.current = place ?? `${id} ${key}`;

  useEffect(() => {
    const form = document.getElementById(id);
    if (!(form instanceof HTMLFormElement)) return;
    const typed = kept.get(step.current);
    if (typed) putTyped(form, typed);
    return () => {
      kept.delete(step.current);
      kept.set(step.current, readTyped(form));
      const [oldest] = kept.keys();
      if (kept.size > MOST && oldest !== undefined) kept.delete(oldest);
    };
  }, [id]);
}

/** Forgets what was typed at a place, or everywhere: the next person may be somebody else. */
export function forgetFields(place?: string): void {
  if (place === undefined) kept.clear();
  else kept.delete(place);
}

type Control = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;

/**
 * Remembers what every field of the page's forms holds; calling what it answers puts that back wherever it has
 * changed. Files cannot be put back, and stay as long as their field does.
 */
export function captureFields(): () => void {
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

/** What one control held; without what nobody typed and what nobody may see again. */
interface Typed {
  name: string;
  type: string;
  value: string;
  checked: boolean;
  files: File[];
}

function readTyped(form: HTMLFormElement): Typed[] {
  return controlsOf(form).map((control) => ({
    name: control.name,
    type: control.type,
    ...readValue(control),
    files: control instanceof HTMLInputElement ? [...(control.files ?? [])] : [],
  }));
}

/** Puts values into a form of the same fields, and says so to whoever follows its input, such as a preview. */
function putTyped(form: HTMLFormElement, typed: Typed[]): void {
  for (const control of controlsOf(form)) {
    const isChoice = control.type === 'radio' || control.type === 'checkbox';
    const found = typed.find(
      ({ name, type, value }) =>
        name === control.name && type === control.type && (!isChoice || value === control.value),
    );
    if (found && put(control, found)) {
      for (const type of ['input', 'change']) control.dispatchEvent(new Event(type, { bubbles: true }));
    }
  }
}

/** Whether that changed anything. */
function put(control: Control, { value, checked, files }: Typed): boolean {
  if (control.type === 'file') {
    if (files.length === 0 || !(control instanceof HTMLInputElement)) return false;
    const transfer = new DataTransfer();
    for (const file of files) transfer.items.add(file);
    control.files = transfer.files;
    return true;
  }
  if (control instanceof HTMLInputElement && control.checked !== checked) {
    control.checked = checked;
    return true;
  }
  if (control.value === value) return false;
  control.value = value;
  return true;
}

function controlsOf(form: HTMLFormElement): Control[] {
  return [...form.elements].filter(
    (element): element is Control =>
      (element instanceof HTMLInputElement ||
        element instanceof HTMLSelectElement ||
        element instanceof HTMLTextAreaElement) &&
      !['hidden', 'password'].includes(element.type),
  );
}
