import type { ContentForm } from './content-form';

export const phone: ContentForm = {
  icon: 'phone',
  main: 'phone',
  label: 'phone',
  control: { type: 'tel', inputMode: 'tel', autoComplete: 'tel' },
  hint: 'phoneHint',
  related: { phone: ['content'] },
};
