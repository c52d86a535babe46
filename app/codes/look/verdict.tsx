import type { TFunction } from 'i18next';
import { useTranslation } from 'react-i18next';
import { GradeLine, GradeMeaning, Receipt, type ReceiptState } from './scan-grade';
import type { Findings } from './scan-report';

interface Props extends Findings {
  /** Whether the form shows an error about the design, which the verdict does not repeat. */
  isMarked: boolean;
  /** Shown until the decoders' results arrive. */
  waiting: string;
  /** Whether the page was opened with it: then it is not announced. */
  isInitial?: boolean;
}

/**
 * What is known about a drawing, without contradiction: good only if the form would accept it. Screen readers are told
 * of the decoders' results, but not that they are awaited, as that changes with every key.
 */
export function Verdict(props: Props) {
  const { t } = useTranslation('design');
  const { state, text, grade } = verdictOf(t, props);
  const line = text && <Receipt state={state} text={text} />;
  const isAnnounced = state !== 'waiting' && !props.isInitial;
  const verdict = (
    <>
      {line}
      {grade && <GradeLine scan={grade.scan} />}
    </>
  );
  return (
    <div className="verdict">
      <div role="status">{isAnnounced && verdict}</div>
      {!isAnnounced && verdict}
      {grade && <GradeMeaning {...grade} />}
    </div>
  );
}

/** The verdict in one line, where there is no space for more. */
export function ShortVerdict(props: Props) {
  const { t } = useTranslation('design');
  const { state, text, grade } = verdictOf(t, props);
  return text ? <Receipt state={state} text={text} /> : grade && <GradeLine scan={grade.scan} />;
}

function verdictOf(t: TFunction<'design'>, { examination, problem, isMarked, waiting }: Props) {
  const grade = examination?.scan.grade === null ? examination : undefined;
  if (grade) return { state: 'unread' as ReceiptState, text: undefined, grade };
  const reason = isMarked ? t('preview.fixFirst') : problem && t('preview.because', { reason: problem });
  if (reason || !examination) return { state: 'waiting' as ReceiptState, text: reason ?? waiting };
  const { readBack, isOfAddress } = examination;
  if (readBack === null && !isOfAddress)
    return { state: 'unread' as ReceiptState, text: t('preview.unread') };
  const text = readBack === null ? undefined : t('preview.readsBack', { content: shortened(readBack) });
  return { state: 'reads-back' as ReceiptState, text, grade: examination };
}

/** Without the protocol of a web address, and no longer than a line or two. */
export function shortened(content: string): string {
  const plain = content.replace(/^https?:\/\//i, '');
  const characters = [...plain];
  return characters.length > 60 ? `${characters.slice(0, 59).join('')}…` : plain;
}
