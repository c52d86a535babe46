import type { CodeFields, CodeType } from '#contract/contents';
import type { WifiSecurity } from '#contract/wifi';

/** What the creation form holds right now, read from the form itself: its inputs are uncontrolled. */
export interface DesignInput {
  fields: CodeFields;
  useWhiteBackground: boolean;
  preset: string | undefined;
  file: File | undefined;
  draft: string | undefined;
}

/** Reads the controls one by one: all entries of a form take the browser a millisecond to put together. */
export function readDesign(form: HTMLFormElement): DesignInput {
  const text = (name: string) => textOf(form.elements.namedItem(name));
  const type = (text('type') || 'link') as CodeType;
  const preset = text('logoPreset');
  const file = fileOf(form.elements.namedItem('logo'));
  const keepsDraft = text('draft') !== '' && text('hasLogo') === 'true' && text('removeLogo') === '';
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
  };
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
