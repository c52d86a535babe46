import { useTranslation } from 'react-i18next';
import { LOCALES } from '#contract/locales';
import { useLocale } from '~/i18n/use-locale';
import { Icon, type IconName } from '../../ui/icon';
import { DECODER_NAMES, type Decoder, type Examination, LEAST_READINGS } from './scan-report';

type Graded = Pick<Examination, 'scan' | 'isOfAddress'>;

/** The grade of a drawing, and the readings that it is based on. */
export function ScanGrade(graded: Graded) {
  return (
    <div className="scan-grade">
      <GradeLine scan={graded.scan} />
      <GradeMeaning {...graded} />
    </div>
  );
}

export function GradeLine({ scan: { grade, read, of } }: Pick<Graded, 'scan'>) {
  const { t } = useTranslation('design');
  const least = LEAST_READINGS.C;
  const failed = read < least ? t('scan.none', { read, of, least }) : t('scan.unclear', { read, of });
  return (
    <Receipt
      state={grade ? 'reads-back' : 'unread'}
      text={grade ? t('scan.grade', { grade, read, of }) : failed}
    />
  );
}

export function GradeMeaning({ scan, isOfAddress }: Graded) {
  const { of, missed, proofs } = scan;
  const { t } = useTranslation('design');
  const list = new Intl.ListFormat(LOCALES[useLocale()].tag, { type: 'conjunction' });
  const least = LEAST_READINGS;
  const missedProofs = proofs.filter(({ missedBy }) => missedBy.length > 0);
  const named = (decoders: Decoder[]) => list.format(decoders.map((decoder) => DECODER_NAMES[decoder]));
  return (
    <details>
      <summary>{t('scan.about')}</summary>
      {isOfAddress && <p>{t('scan.ofAddress')}</p>}
      {missed.length + missedProofs.length === 0 ? (
        <p>{t('scan.all')}</p>
      ) : (
        <>
          <p>{t('scan.missed')}</p>
          <ul>
            {missed.map(({ view, decoders }) => (
              <li key={view}>
                {t('scan.miss', { view: t(`scan.views.${view}`), decoders: named(decoders) })}
              </li>
            ))}
            {missedProofs.map(({ proof, missedBy }) => (
              <li key={proof}>
                {t('scan.miss', { view: t(`scan.proofs.${proof}`), decoders: named(missedBy) })}
              </li>
            ))}
          </ul>
        </>
      )}
      <p>{t('scan.definition', { of, ...least })}</p>
    </details>
  );
}

export type ReceiptState = 'reads-back' | 'unread' | 'waiting';

const ICONS: Record<ReceiptState, IconName> = {
  'reads-back': 'check',
  unread: 'warning',
  waiting: 'code',
};

interface Props {
  state: ReceiptState;
  /** The whole line. */
  text: string;
}

/** The line below a code that says whether it can be read. */
export function Receipt({ state, text }: Props) {
  return (
    <p className={`receipt ${state}`}>
      <Icon name={ICONS[state]} />
      <span>{text}</span>
    </p>
  );
}
