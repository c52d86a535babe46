import { useTranslation } from 'react-i18next';
import type { TextName } from '~/i18n/text-keys';
import type { DefinitionName } from './chart-data';

/** Name of the text that says why nothing was measured. */
export type UnmeasuredReason = Exclude<TextName<'statistics', 'unmeasured'>, 'why' | 'label'>;

export interface ShownFigure {
  definition: DefinitionName;
  /** Null when nothing was measured. */
  value: string | null;
  reason: UnmeasuredReason;
}

/** Figures with their names and what each counts, followed by why some were not measured. */
export function FigureList({ figures }: { figures: ShownFigure[] }) {
  const { t } = useTranslation('statistics');
  const reasons = new Set(figures.flatMap(({ value, reason }) => (value === null ? [reason] : [])));
  return (
    <>
      <dl className="figure-list">
        {figures.map(({ definition, value }) => (
          <div key={definition}>
            <dt>{t(`definitions.${definition}.label`)}</dt>
            {value === null ? (
              <dd className="figure-list__unmeasured">{t('unmeasured.label')}</dd>
            ) : (
              <dd className="figure-list__value">{value}</dd>
            )}
            <dd className="hint">{t(`definitions.${definition}.text`)}</dd>
          </div>
        ))}
      </dl>
      {[...reasons].map((reason) => (
        <p key={reason} className="note">
          {t('unmeasured.why', { reason: t(`unmeasured.${reason}`) })}
        </p>
      ))}
    </>
  );
}
