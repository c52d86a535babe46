import { useTranslation } from 'react-i18next';

export interface ShownFigure {
  definition: string;
  /** Null where nothing was measured. */
  value: string | null;
  reason: string;
}

/** Numbers with their names; below each stands what it counts, or why there is none. */
export function FigureList({ figures }: { figures: ShownFigure[] }) {
  const { t } = useTranslation('statistics');
  return (
    <dl className="statistics-figures">
      {figures.map(({ definition, value, reason }) => (
        <div key={definition}>
          <dt>{t(`definitions.${definition}.label`)}</dt>
          {value === null ? (
            <dd className="statistics-unmeasured">{t('unmeasured.label')}</dd>
          ) : (
            <dd className="statistics-figure">{value}</dd>
          )}
          <dd className="hint">
            {t(`definitions.${definition}.text`)}
            {value === null && ` ${t(`unmeasured.${reason}`)}`}
          </dd>
        </div>
      ))}
    </dl>
  );
}
