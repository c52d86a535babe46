import { useLocation } from '@remix-run/react';
import { useEffect, useRef } from 'react';

/** How many forms are remembered: those left most recently. */
const MAX_FORMS = 20;
const CHANGES = ['input', 'change'];

/** Values of fields, by name. */
export type Values = Record<string, unknown>;

/** A form as it was left. */
interface Left {
  entered: Entered[];
  /** Saved values it was aware of: any other saved value is newer than the typed one. */
  known: Values[];
  /** The idempotency key it was sent with, if it was not accepted. */
  sentKey: string | undefined;
}

/** Contents of forms that were left, by place; in memory only, and never sent to a server. */
const kept = new Map<string, Left>();

interface Restored {
  /** Key in `kept`. */
  place: string;
  /** Values of its fields before anything is typed. */
  saved: Values;
  known: Values[];
  sentKey: string | undefined;
  /** Whether its contents have been accepted, so that they need not be sent again. */
  isAccepted: boolean;
}

/**
 * Restores what a form contained when it was left by a client-side navigation, unless that was accepted.
 * Browsers do so only for full page loads.
 */
export function useRestoredFields(id: string | undefined, form: Restored): void {
  const latest = useRef(form);
  latest.current = form;

  useEffect(() => {
    const element = id === undefined ? null : document.getElementById(id);
    if (!(element instanceof HTMLFormElement)) return;
    const { place, saved } = latest.current;
    const left = kept.get(place);
    if (left) putEntered(element, stillNewest(left, saved));
    return () => {
      const { place, known, sentKey, isAccepted } = latest.current;
      const entered = readEntered(element);
      if (isAccepted) kept.delete(place);
      // A step that only shows what was typed in another step has nothing to keep.
      if (isAccepted || entered.length === 0) return;
      kept.delete(place);
      kept.set(place, { entered, known, sentKey });
      const [oldest] = kept.keys();
      if (kept.size > MAX_FORMS && oldest !== undefined) kept.delete(oldest);
    };
  }, [id]);
}

/** Key of a form: its id, the page and the history entry. */
export function usePlace(id: string | undefined): string {
  const { pathname, search, key } = useLocation();
  return `${id} ${pathname}${search} ${key}`;
}

/** The idempotency key with which a form was sent before it was left, if it was not accepted. */
export function findSentKey(place: string): string | undefined {
  return kept.get(place)?.sentKey;
}

function stillNewest({ entered, known }: Left, saved: Values): Entered[] {
  return entered.filter(({ name }) => known.some((values) => (values[name] ?? '') === (saved[name] ?? '')));
}

/** Forgets what was typed: the next user of the browser may be someone else. */
export function forgetFields(): void {
  kept.clear();
}

type Control = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;

/**
 * Captures the values of all fields on the page and keeps up with changes by the user. The returned function
 * restores them; with `false` it only stops. Files cannot be restored, and stay as long as their field does.
 */
export function captureFields(): (isChanged?: boolean) => void {
  const controls = [...document.querySelectorAll<Control>('main :is(input, select, textarea)')].filter(
    ({ type }) => type !== 'hidden' && type !== 'file',
  );
  const read = () => controls.map((control) => ({ control, ...readValue(control) }));
  let held = read();
  const follow = () => {
    held = read();
  };
  for (const type of CHANGES) document.addEventListener(type, follow);
  return (isChanged = true) => {
    for (const type of CHANGES) document.removeEventListener(type, follow);
    if (!isChanged) return;
    for (const { control, value, checked } of held) {
      if (control.value !== value) control.value = value;
      if (control instanceof HTMLInputElement && control.checked !== checked) control.checked = checked;
    }
  };
}

function readValue(control: Control) {
  return { value: control.value, checked: control instanceof HTMLInputElement && control.checked };
}

/** Contents of one control; hidden fields, passwords and one-time codes are left out. */
interface Entered {
  name: string;
  type: string;
  value: string;
  checked: boolean;
  files: File[];
}

function readEntered(form: HTMLFormElement): Entered[] {
  return controlsOf(form).map((control) => ({
    name: control.name,
    type: control.type,
    ...readValue(control),
    files: control instanceof HTMLInputElement ? [...(control.files ?? [])] : [],
  }));
}

/** Puts values into a form with the same fields and fires input events, for listeners such as a preview. */
function putEntered(form: HTMLFormElement, entered: Entered[]): void {
  for (const control of controlsOf(form)) {
    const isChoice = control.type === 'radio' || control.type === 'checkbox';
    const found = entered.find(
      ({ name, type, value }) =>
        name === control.name && type === control.type && (!isChoice || value === control.value),
    );
    if (found && put(control, found)) {
      for (const type of CHANGES) control.dispatchEvent(new Event(type, { bubbles: true }));
    }
  }
}

/** Whether that changed anything. */
function put(control: Control, { value, checked, files }: Entered): boolean {
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
      !['hidden', 'password'].includes(element.type) &&
      // A revealed password field has the type `text`.
      !/password|one-time-code/.test(element.autocomplete),
  );
}
