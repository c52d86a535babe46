import { type Barrier, onPages } from './barrier';

/** Faults that hide the structure of a page from screen reader users. */
export const STRUCTURE_BARRIERS: Barrier[] = [
  {
    name: 'language-not-said',
    file: 'app/root.tsx',
    from: '<html lang={LOCALES[locale].html} ',
    to: '<html ',
    caughtBy: onPages('^login$'),
  },
  {
    name: 'heading-level-skipped',
    file: 'app/ui/page-layouts.tsx',
    from: '{title && <h2>{title}</h2>}',
    to: '{title && <h4>{title}</h4>}',
    caughtBy: onPages('^settings$'),
  },
  {
    name: 'title-never-changes',
    file: 'app/ui/page-head.tsx',
    from: '<title>{`$',
    to: '<title>{appName || `$',
    caughtBy: {
      spec: 'journeys/shell.spec.ts',
      title: 'a page opened by a link has its own title',
      project: 'js',
    },
  },
  {
    name: 'current-choice-not-said',
    file: 'app/site/choice-links.tsx',
    from: "aria-current={value === chosen ? 'true' : undefined}",
    to: '',
    caughtBy: onPages('^yearly prices$', 'de'),
  },
  {
    name: 'dialog-without-name',
    file: 'app/ui/dialog.tsx',
    from: 'aria-labelledby={open ? titleId : undefined}',
    to: '',
    caughtBy: {
      spec: 'enhanced/consent.spec.ts',
      title: 'the footer opens the dialog at any time',
      project: 'js',
    },
  },
  {
    name: 'table-without-caption',
    file: 'app/account/dashboard/sections.tsx',
    from: `<caption>
          <h2 id="activity-caption">{t('activity.heading')}</h2>
        </caption>`,
    to: '',
    caughtBy: onPages('^dashboard$'),
  },
  {
    name: 'download-without-name',
    file: 'app/codes/list/table.tsx',
    from: `<span>{t('list.download')}</span> <span className="sr-only">{name}</span>`,
    to: `<span>{t('list.download')}</span>`,
    caughtBy: onPages('^codes$'),
  },
  {
    name: 'chart-without-table',
    file: 'app/statistics/chart-figure.tsx',
    from: '<DataTableView ',
    to: '<Plot drawing={drawing} isSmall={isSmall} ',
    caughtBy: onPages('^analytics$'),
  },
  {
    name: 'chart-rows-without-headers',
    file: 'app/statistics/chart-figure.tsx',
    from: '<th scope="row">{name}</th>',
    to: '<td>{name}</td>',
    caughtBy: onPages('^analytics, as tables$'),
  },
  {
    name: 'live-region-that-is-none',
    file: 'app/ui/announcer.tsx',
    from: '<div role="status" className="sr-only">',
    to: '<div className="sr-only">',
    caughtBy: { spec: 'enhanced/public.spec.ts', title: 'the price changes at once', project: 'js' },
  },
];
