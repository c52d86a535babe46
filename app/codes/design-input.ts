import type { CodeFields, CodeType } from '#contract/contents';
import { isDefaultStyle, type Style, type StyleFields } from '#contract/style-rules';
import type { WifiSecurity } from '#contract/wifi';
import { drawnStyleOf } from './look/look-input';
import { STYLE_FIELDS } from './look/style-fields';

/** What the creation form holds right now, read from the form itself: its inputs are uncontrolled. */
export interface DesignInput {
  fields: CodeFields;
  useWhiteBackground: boolean;
  preset: string | undefined;
  file: File | undefined;
  draft: string | undefined;
  /** Null for ink on paper. */
  style: Style | null;
  /** As typed; undefined where the form has no look. */
  typedStyle: StyleFields | undefined;
}

/** Reads the controls one by one: all entries of a form take the browser a millisecond to put together. */
export function readDesign(form: HTMLFormElement): DesignInput {
  const text = (name: string) => textOf(form.elements.namedItem(name));
  const type = (text('type') || 'link') as CodeType;
  const preset = text('logoPreset');
  const file = fileOf(form.elements.namedItem('logo'));
  const keepsDraft = text('draft') !== '' && text('hasLogo') === 'true' && text('removeLogo') === '';
  const typedStyle = text('moduleShape') === '' ? undefined : readStyleFields(text);
  return {
    fields: {
      type,
      content: text(type === 'email' ? 'address' : 'content'),
      subject: text('subject'),
      body: text('body'),
      ssid: text('ssid'),
      passphrase: text('passphrase'),
      security: (text('security') || 'WPA') as WifiSecurity,
      hidden: text('hidden') !== '',
    },
    useWhiteBackground: text('useWhiteBackground') !== '',
    preset: preset === '' || preset === 'none' ? undefined : preset,
    file: file && file.size > 0 ? file : undefined,
    draft: keepsDraft ? text('draft') : undefined,
    style: typedStyle ? readStyle(typedStyle) : null,
    typedStyle,
  };
}

function readStyleFields(text: (name: string) => string): StyleFields {
  return Object.fromEntries(STYLE_FIELDS.map((field) => [field, text(field)]));
}

function readStyle(typed: StyleFields): Style | null {
  const style = drawnStyleOf(typed);
  return isDefaultStyle(style) ? null : style;
}

/** What the control would post; nothing for a box that is not ticked. */
export function textOf(control: RadioNodeList | Element | null): string {
  if (control instanceof HTMLInputElement && /^(?:checkbox|radio)$/.test(control.type)) {
    return control.checked ? control.value : '';
  }
  return control && 'value' in control ? String(control.value) : '';
}

function fileOf(control: RadioNodeList | Element | null): File | undefined {
  return control instanceof HTMLInputElement ? control.files?.[0] : undefined;
}
