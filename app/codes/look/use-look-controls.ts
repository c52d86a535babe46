import { type RefObject, useEffect, useRef, useState } from 'react';
import { STYLE_FIELDS, type StyleField } from '#contract/style-fields';
import { DEFAULT_STYLE, readColour } from '#contract/style-rules';
import { textOf } from '~/codes/create/control-value';
import type { FieldMeta } from '~/ui/field';
import {
  COLOUR_FIELDS,
  drawnStyleOf,
  nameOfStyle,
  type OfferedStyle,
  pickable,
  type StyleTexts,
  textsOfStyle,
} from './look-input';

export type LookField = StyleField | 'readyMade';
type Fields = Record<LookField, FieldMeta>;

/** The last state of the controls, posted so that the server knows what has changed since. */
interface Before {
  readyMade: string;
  /** Values of the colour pickers, separated by spaces. */
  picked: string;
}

interface Entered {
  initialKey: string;
  texts: StyleTexts;
  /** Absent until something changes: the rendered values apply until then. */
  before?: Before;
}

/**
 * Keeps the look controls in sync once scripts run: choosing a look by name fills in the others, changing one
 * of those makes it a custom look, and each colour has the same value in its text field and picker. Without
 * scripts, the server does this with what the form posts. Returns the fields with their initial values, their
 * current values, and the hidden values posted with them.
 */
export function useLookControls(
  box: RefObject<HTMLElement | null>,
  fields: Fields,
  offered: OfferedStyle[],
): { fields: Fields; texts: StyleTexts; before: Before } {
  const initial = initialTextsOf(fields);
  const initialKey = JSON.stringify(initial);
  const lastInitial = useRef(initialKey);
  const [entered, setEntered] = useState<Entered>();
  const drawn = withValues(fields, initial, offered);
  const drawnName = useRef(drawn.readyMade.initialValue);
  drawnName.current = drawn.readyMade.initialValue;

  useEffect(() => {
    const form = box.current?.closest('form');
    if (!form) return;
    // Values changed by a response replace what was typed; on the first run, input from before hydration is
    // kept.
    if (lastInitial.current !== initialKey) {
      writeTexts(form, JSON.parse(initialKey));
      write(form, 'readyMade', drawnName.current);
    }
    lastInitial.current = initialKey;
    setEntered({ initialKey, texts: readTexts(form) });
  }, [box, initialKey]);

  useEffect(() => {
    const element = box.current;
    const form = element?.closest('form');
    if (!element || !form) return;
    const follow = (changed: string) => {
      syncControls(form, changed, offered);
      // Update `before` as well: the server would otherwise take these values for later choices.
      setEntered({ initialKey, texts: readTexts(form), before: readBefore(form) });
    };
    const onInput = ({ target }: Event) => follow((target as HTMLInputElement).name);
    // Choices made before hydration.
    for (const name of changedEarlier(form)) follow(name);
    element.addEventListener('input', onInput);
    return () => element.removeEventListener('input', onInput);
  }, [box, initialKey, offered]);

  const current = entered?.initialKey === initialKey ? entered : undefined;
  return {
    fields: drawn,
    texts: current?.texts ?? initial,
    before: current?.before ?? {
      readyMade: drawn.readyMade.initialValue,
      picked: COLOUR_FIELDS.map((field) => pickable(initial[field])).join(' '),
    },
  };
}

/** The values the server rendered; a form without a look starts with the default one. */
function initialTextsOf(fields: Fields): StyleTexts {
  const none = textsOfStyle(DEFAULT_STYLE);
  if (fields.moduleShape.initialValue === undefined) return none;
  return Object.fromEntries(
    STYLE_FIELDS.map((field) => [field, fields[field].initialValue ?? '']),
  ) as StyleTexts;
}

function withValues(fields: Fields, texts: StyleTexts, offered: OfferedStyle[]) {
  const name = nameOfStyle(drawnStyleOf(texts), offered);
  const entries = STYLE_FIELDS.map((field) => [field, { ...fields[field], initialValue: texts[field] }]);
  return {
    ...(Object.fromEntries(entries) as Fields),
    readyMade: { ...fields.readyMade, initialValue: name },
  };
}

function syncControls(form: HTMLFormElement, changed: string, offered: OfferedStyle[]): void {
  const name = changed === 'readyMade' ? valueIn(form, 'readyMade') : null;
  const chosen = offered.find((look) => look.name === name);
  if (chosen) writeTexts(form, textsOfStyle(chosen.style));
  if (chosen?.logo) writeLogo(form, chosen.logo);
  for (const field of COLOUR_FIELDS) {
    if (changed === `${field}Picked`) write(form, field, valueIn(form, changed));
    const colour = readColour(valueIn(form, field));
    if (colour && changed !== `${field}Picked`) write(form, `${field}Picked`, colour);
  }
  if (changed !== 'readyMade') write(form, 'readyMade', nameOfStyle(drawnStyleOf(readTexts(form)), offered));
}

function readBefore(form: HTMLFormElement): Before {
  return {
    readyMade: valueIn(form, 'readyMade'),
    picked: COLOUR_FIELDS.map((field) => valueIn(form, `${field}Picked`)).join(' '),
  };
}

function changedEarlier(form: HTMLFormElement): string[] {
  const value = (name: string) => valueIn(form, name);
  if (value('readyMade') !== value('readyMadeBefore')) return ['readyMade'];
  const before = value('pickedBefore').split(' ');
  return COLOUR_FIELDS.map((field) => `${field}Picked`).filter(
    (name, place) => value(name) !== before[place],
  );
}

function writeTexts(form: HTMLFormElement, texts: StyleTexts): void {
  for (const field of STYLE_FIELDS) write(form, field, texts[field]);
  for (const field of COLOUR_FIELDS) write(form, `${field}Picked`, pickable(texts[field]));
}

function writeLogo(form: HTMLFormElement, logo: NonNullable<OfferedStyle['logo']>): void {
  for (const [name, value] of Object.entries(logo)) write(form, name, value);
  write(form, 'logo', '');
}

function write(form: HTMLFormElement, name: string, value: string): void {
  const control = form.elements.namedItem(name);
  if (control instanceof HTMLInputElement && control.type === 'checkbox') control.checked = value !== '';
  else if (control && 'value' in control && control.value !== value) control.value = value;
}

function readTexts(form: HTMLFormElement): StyleTexts {
  const texts = STYLE_FIELDS.map((field) => [field, valueIn(form, field)]);
  return Object.fromEntries(texts) as StyleTexts;
}

function valueIn(form: HTMLFormElement, name: string): string {
  return textOf(form.elements.namedItem(name));
}
