import { type Barrier, onPages } from './barrier';

/** Faults that break keyboard use or hide the focus, and touch targets that are too small. */
export const KEYBOARD_BARRIERS: Barrier[] = [
  {
    name: 'link-outline-removed',
    file: 'app/styles/elements.css',
    from: 'main:focus,\n',
    to: 'a:focus-visible,\nmain:focus,\n',
    caughtBy: onPages('^login$'),
  },
  {
    name: 'button-outline-removed',
    file: 'app/styles/controls.css',
    from: '.button:active {',
    to: '.button:focus-visible {\n  outline: none;\n}\n\n.button:active {',
    caughtBy: onPages('^login$'),
  },
  {
    name: 'focus-lost-after-dialog',
    file: 'app/ui/dialog.tsx',
    from: 'if (!open) dialog.current?.close();',
    to: `if (!open && dialog.current?.open) {
      dialog.current.close();
      document.querySelector<HTMLElement>(':focus')?.blur();
    }`,
    caughtBy: {
      spec: 'enhanced/consent.spec.ts',
      title: 'the footer opens the dialog at any time',
      project: 'js',
    },
  },
  {
    name: 'skip-link-leads-nowhere',
    file: 'app/ui/page-frame.tsx',
    from: 'href="#main"',
    to: 'href="#content"',
    caughtBy: { spec: 'journeys/shell.spec.ts', title: 'a skip link to the content', project: 'no-js' },
  },
  {
    name: 'search-takes-focus',
    file: 'app/site/faq-list.tsx',
    from: 'enterKeyHint="search"',
    to: 'enterKeyHint="search" autoFocus',
    caughtBy: onPages('^questions$'),
  },
  {
    name: 'span-as-button',
    file: 'app/ui/copy-to-clipboard.tsx',
    from: `<button type="button" className="button secondary" onClick={copy}>
            <Icon name={isCopied ? 'check' : 'copy'} />
            {t(isCopied ? 'copy.done' : 'copy.action')} <span className="sr-only">{label}</span>
          </button>`,
    to: `<span className="button secondary" onClick={copy}>
            <Icon name={isCopied ? 'check' : 'copy'} />
            {t(isCopied ? 'copy.done' : 'copy.action')} <span className="sr-only">{label}</span>
          </span>`,
    caughtBy: onPages('^code$'),
  },
  {
    name: 'reveal-as-span',
    file: 'app/ui/password-field.tsx',
    from: `<button
            type="button"
            className="reveal"
            aria-controls={field.id}
            onClick={() => setIsShown(!isShown)}
          >
            <Icon name={isShown ? 'eye-off' : 'eye'} />
            <span className="sr-only">{t(isShown ? 'form.hidePassword' : 'form.showPassword')}</span>
          </button>`,
    to: `<span className="reveal" onClick={() => setIsShown(!isShown)}>
            <Icon name={isShown ? 'eye-off' : 'eye'} />
            <span className="sr-only">{t(isShown ? 'form.hidePassword' : 'form.showPassword')}</span>
          </span>`,
    caughtBy: onPages('^login$'),
  },
  {
    name: 'targets-of-12-px',
    file: 'app/styles/controls.css',
    from: '  width: 2.75rem;\n  height: 2.75rem;\n',
    to: '  width: 12px;\n  height: 12px;\n',
    caughtBy: onPages('^login$'),
  },
];
