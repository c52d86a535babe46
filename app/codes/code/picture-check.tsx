import { useTranslation } from 'react-i18next';
import { Receipt, ScanGrade } from '~/codes/look/scan-grade';
import type { Examination } from '~/codes/look/scan-report';
import { shortened } from '~/codes/look/verdict';
import { CodePicture, type Drawn } from './picture';

interface Props {
  drawn: Drawn;
  /** Absent if the decoders were too busy. */
  examination: Examination | undefined;
  /** What the picture shows, in words. */
  label: string;
}

/** A code on white, and what the decoders read in it. */
export function CheckedPicture({ drawn, examination, label }: Props) {
  return (
    <figure className="code-check">
      <div className="code-check__ground">
        <CodePicture drawn={drawn} label={label} />
      </div>
      <figcaption>
        <ReadBack read={examination?.readBack} />
        {examination && <ScanGrade scan={examination.scan} />}
      </figcaption>
    </figure>
  );
}

function ReadBack({ read }: { read: string | null | undefined }) {
  const { t } = useTranslation('codes');
  if (read === undefined) return <Receipt state="waiting" text={t('one.notRead')} />;
  if (read === null) return <Receipt state="unread" text={t('design:preview.unread')} />;
  return <Receipt state="reads-back" text={t('design:preview.readsBack', { content: shortened(read) })} />;
}
