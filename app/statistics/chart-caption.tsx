import { useTranslation } from 'react-i18next';
import { Explanation } from '~/ui/explanation';
import type { DefinitionName } from './chart-data';

/** What is counted by UTC days, as only days are stored of it; everything else follows the chosen time zone. */
const BY_UTC_DAYS: ReadonlySet<DefinitionName> = new Set([
  'visitors_by_day',
  'visitors_by_code_and_day',
  'most_active',
  'distribution',
  'devices',
  'systems',
  'languages',
  'countries',
  'campaigns',
  'campaign_sources',
  'campaign_mediums',
]);

interface Props {
  definition: DefinitionName;
  finding: string;
  /** Further explanation of how it is counted. */
  note?: string | null | undefined;
  /** Of the heading. */
  id?: string;
}

/** The title of a chart and its main finding; how it is counted is behind a question mark. */
export function ChartCaption({ definition, finding, note, id }: Props) {
  const { t } = useTranslation('statistics');
  const title = t(`definitions.${definition}.label`);
  return (
    <figcaption>
      <h3 id={id}>{title}</h3>
      <Explanation name={title}>
        {t(`definitions.${definition}.text`)} {note}
      </Explanation>
      <p>
        {finding}
        {BY_UTC_DAYS.has(definition) && (
          <>
            {' '}
            <span className="hint">{t('utcDays')}</span>
          </>
        )}
      </p>
    </figcaption>
  );
}
