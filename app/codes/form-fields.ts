import type { CodeFields, CodeType, WifiSecurity } from './contents';

/** What the creation form holds right now, read from the form itself: its inputs are uncontrolled. */
export interface DesignInput {
  fields: CodeFields;
  useWhiteBackground: boolean;
  preset: string | undefined;
  file: File | undefined;
  draft: string | undefined;
}

export function readDesign(form: HTMLFormElement): DesignInput {
  const data = new FormData(form);
  const text = (name: string) => String(data.get(name) ?? '');
  const type = (text('type') || 'link') as CodeType;
  const preset = text('logoPreset');
  const file = data.get('logo');
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
    file: file instanceof File && file.size > 0 ? file : undefined,
    draft: keepsDraft ? text('draft') : undefined,
  };
}

/** A name for a preset: what stands before the extension of its file. */
export function presetName(file: string): string {
  return file.replace(/\.[^.]+$/, '');
}
