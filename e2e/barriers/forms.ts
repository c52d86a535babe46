import { type Barrier, onPages } from './barrier';

/** Faults that stop people from filling in a form or finding out what is wrong with it. */
export const FORM_BARRIERS: Barrier[] = [
  {
    name: 'label-leads-nowhere',
    file: 'app/ui/field.tsx',
    from: '<div className="field">\n      <label htmlFor={field.id}>',
    to: '<div className="field">\n      <label htmlFor={field.name}>',
    caughtBy: onPages('^login$'),
  },
  {
    name: 'textarea-error-unlinked',
    file: 'app/ui/field.tsx',
    from: 'rows={4}\n        {...controlProps(field, { hint, error })}',
    to: "rows={4}\n        {...controlProps(field, { hint, error })}\n        aria-describedby={field.id.concat('-hint')}",
    caughtBy: onPages('^contact, refused$'),
  },
  {
    name: 'error-links-lead-nowhere',
    file: 'app/ui/form-errors.tsx',
    from: '<a href={`#',
    to: '<a href={`#field-',
    caughtBy: onPages('^contact, refused$'),
  },
  {
    name: 'required-not-said',
    file: 'app/ui/field.tsx',
    from: 'required: field.required || undefined,',
    to: '',
    caughtBy: onPages('^contact, refused$'),
  },
  {
    name: 'order-without-autocomplete',
    file: 'app/billing/checkout.tsx',
    from: ' autoComplete="billing address-line1"',
    to: '',
    caughtBy: onPages('^order$'),
  },
  {
    name: 'form-for-scripts-only',
    file: 'app/site/contact-form.tsx',
    from: "<Button>{t('send')}</Button>",
    to: '<Button type="button" onClick={(event) => event.currentTarget.form?.requestSubmit()}>{t(\'send\')}</Button>',
    caughtBy: { spec: 'journeys/public.spec.ts', title: 'a message reaches support once', project: 'no-js' },
  },
  {
    name: 'error-summary-without-focus',
    file: 'app/ui/form-errors.tsx',
    from: '{ autoFocus: true, tabIndex: -1 }',
    to: '{ tabIndex: -1 }',
    caughtBy: {
      spec: 'journeys/public.spec.ts',
      title: 'a refused message says what is missing',
      project: 'no-js',
    },
  },
  {
    name: 'failure-not-announced',
    file: 'app/ui/form.tsx',
    from: '<p role="alert" className="warning">',
    to: '<p className="warning">',
    caughtBy: {
      spec: 'enhanced/sending.spec.ts',
      title: 'without a network, a message stays',
      project: 'js',
    },
  },
];
