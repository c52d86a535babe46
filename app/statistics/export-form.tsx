import { useTranslation } from 'react-i18next';
import { Button } from '~/ui/button';
import { SelectField } from '~/ui/field';
import { Icon } from '~/ui/icon';

const SEPARATORS = ['comma', 'semicolon'] as const;

export interface ExportOptions {
  /** Names and values of the filter that the page shows. */
  filter: [name: string, value: string][];
  separator: (typeof SEPARATORS)[number];
}

const FILES = ['daily', 'code-days', 'hours', 'breakdowns', 'visits', 'codes'] as const;

/** A button for each file: one form, whose buttons name the address. Needs no subscription. */
export function ExportForm({ filter, separator, isOpen }: ExportOptions & { isOpen: boolean }) {
  const { t } = useTranslation('statistics');
  return (
    <details className="fold exports" open={isOpen || undefined}>
      <summary>
        <h2>{t('exports.heading')}</h2>
      </summary>
      <p>{t('exports.text')}</p>
      <form method="get" action="/user/analytics/daily.csv">
        {filter.map(([name, value]) => (
          <input key={name} type="hidden" name={name} value={value} />
        ))}
        <SelectField
          field={{ id: 'export-separator', name: 'separator', initialValue: separator }}
          label={t('exports.separator')}
          options={SEPARATORS.map((value) => ({ value, label: t(`exports.separators.${value}`) }))}
        />
        <ul className="actions">
          {FILES.map((file) => (
            <li key={file}>
              <Button variant="secondary" formAction={`/user/analytics/${file}.csv`}>
                <Icon name="download" /> {t(`exports.files.${file}`)}
              </Button>
            </li>
          ))}
        </ul>
      </form>
    </details>
  );
}
