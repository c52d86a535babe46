import type { ContentForm } from './content-form';

export const text: ContentForm = {
  icon: 'text',
  main: 'content',
  label: 'text',
  control: { autoComplete: 'off', autoCapitalize: 'none', spellCheck: false },
};
