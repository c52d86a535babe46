import {
  type CodeFields,
  type CodeType,
  DEFAULT_TYPE,
  FIELDS,
  type FieldName,
  inputOf,
} from '#contract/contents/contents';
import { STYLE_FIELDS, type StyleFields } from '#contract/style-fields';
import { isDefaultStyle, type Style } from '#contract/style-rules';
import { drawnStyleOf } from '~/codes/look/look-input';
import { textOf } from './control-value';

/** The current values of the creation form, read from the DOM: its inputs are uncontrolled. */
export interface DesignInput {
  fields: CodeFields;
  useWhiteBackground: boolean;
  preset: string | undefined;
  file: File | undefined;
  draft: string | undefined;
  /** True for an existing code, whose final payload is this content. */
  isPrinted?: boolean;
  /** Null for the default look. */
  style: Style | null;
  /** As typed; undefined if the form has no look controls. */
  enteredStyle: StyleFields | undefined;
}

/**
 * Reads the controls one by one, because building a FormData takes the browser a millisecond. `kept` is the logo of a form
 * that leaves it as it is.
 */
export function readDesign(form: HTMLFormElement, kept = 'none'): DesignInput {
  const text = (name: string) => textOf(form.elements.namedItem(name));
  const named = text('logoPreset');
  const preset = named === 'keep' ? kept : named;
  const file = fileOf(form.elements.namedItem('logo'));
  const keepsDraft = text('draftLogo') !== '' && text('removeLogo') === '' && preset !== 'none';
  const enteredStyle = text('moduleShape') === '' ? undefined : readStyleFields(text);
  return {
    fields: readFields(text),
    useWhiteBackground: text('useWhiteBackground') !== '',
    preset: preset === '' || preset === 'none' ? undefined : preset,
    file: file && file.size > 0 ? file : undefined,
    draft: keepsDraft ? text('draft') : undefined,
    style: enteredStyle ? readStyle(enteredStyle) : null,
    enteredStyle,
  };
}

function readFields(text: (name: string) => string): CodeFields {
  const type = (text('type') || DEFAULT_TYPE) as CodeType;
  const fields = Object.entries(FIELDS).map(([name, rule]) => {
    const value = text(inputOf(type, name as FieldName));
    if ('options' in rule) return [name, value || rule.options[0]];
    return [name, 'isFlag' in rule ? value !== '' : value];
  });
  return { ...Object.fromEntries(fields), type };
}

function readStyleFields(text: (name: string) => string): StyleFields {
  return Object.fromEntries(STYLE_FIELDS.map((field) => [field, text(field)]));
}

function readStyle(entered: StyleFields): Style | null {
  const style = drawnStyleOf(entered);
  return isDefaultStyle(style) ? null : style;
}

function fileOf(control: RadioNodeList | Element | null): File | undefined {
  return control instanceof HTMLInputElement ? control.files?.[0] : undefined;
}
