import { type Barrier, onPages } from './barrier';

/** Faults that show only in dark mode, forced colours, reduced motion, on narrow screens or in greyscale. */
export const LOOK_BARRIERS: Barrier[] = [
  {
    name: 'faint-text-in-the-dark',
    file: 'app/styles.css',
    from: '--color-soft: light-dark(#454f63, #b4bccd);',
    to: '--color-soft: light-dark(#454f63, #4a5672);',
    caughtBy: onPages('^contact$'),
  },
  {
    name: 'series-by-colour-only',
    file: 'app/statistics/plot.tsx',
    from: "  clicks: 'url(#fill-hatched)',\n",
    to: '',
    caughtBy: onPages('^analytics$'),
  },
  {
    name: 'notice-by-colour-only',
    file: 'app/ui/notices.tsx',
    from: `<Icon name={ICONS[type]} />
      <p>
        <strong className="sr-only">{t(\`notice.\${type}\`)} </strong>`,
    to: '<p>',
    caughtBy: { unit: 'app/ui/frame.test.tsx', title: 'a notice states its kind' },
  },
  {
    name: 'motion-for-everyone',
    file: 'app/site/home-sections.tsx',
    from: ' and (prefers-reduced-motion: no-preference)',
    to: '',
    caughtBy: {
      spec: 'enhanced/hero-field.spec.ts',
      title: 'the field is not loaded on small screens',
      project: 'js',
    },
  },
  {
    name: 'cut-off-at-320-px',
    file: 'app/styles/content.css',
    from: '.form-page {\n  width: 100%;',
    to: '.form-page {\n  width: 26rem;',
    caughtBy: onPages('^login$', 'de'),
  },
  {
    name: 'icons-lost-in-forced-colours',
    file: 'app/styles/controls.css',
    from: 'stroke: currentcolor;',
    to: 'stroke: var(--color-ink);',
    caughtBy: onPages('^login$'),
  },
];
