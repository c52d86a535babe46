import { useTranslation } from 'react-i18next';
import type { TextName } from '~/i18n/text-keys';
import { Explanation } from '~/ui/explanation';

/** Name of the text that says why nothing was measured. */
export type UnmeasuredReason = Exclude<TextName<'statistics', 'unmeasured'>, 'why' | 'label'>;

export interface ShownFigure {
  definition: TextName<'statistics', 'lines'>;
  /** Null when nothing was measured. */
  value: string | null;
  reason: UnmeasuredReason;
  /** What stands below it instead of the usual line. */
  line?: string;
}

interface Props {
  figures: ShownFigure[];
}

/** Figures with a line each and an explanation of what is counted, followed by why some were not measured. */
export function FigureList({ figures }: Props) {
  const { t } = useTranslation('statistics');
  const reasons = new Set(figures.flatMap(({ value, reason }) => (value === null ? [reason] : [])));
  return (
    <>
      <dl className="figure-list">
        {figures.map((figure) => (
          <Figure key={figure.definition} {...figure} />
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

function Figure({ definition, value, line }: ShownFigure) {
  const { t } = useTranslation('statistics');
  const label = t(`definitions.${definition}.label`);
  return (
    <div className="explained">
      <dt>{label}</dt>
      {value === null ? (
        <dd className="figure-list__unmeasured">{t('unmeasured.label')}</dd>
      ) : (
        <dd className="figure-list__value">{value}</dd>
      )}
      <dd className="hint">{line ?? t(`lines.${definition}`)}</dd>
      <dd>
        <Explanation name={label}>{t(`definitions.${definition}.text`)}</Explanation>
      </dd>
    </div>
  );
}
