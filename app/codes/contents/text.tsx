import type { ContentForm } from './content-form';

export const text: ContentForm = {
  icon: 'text',
  main: 'content',
  label: 'text',
  isMultiline: true,
  control: { type: 'text', autoComplete: 'off', autoCapitalize: 'none', spellCheck: false },
};
