import { useTranslation } from 'react-i18next';
import { LOCALES } from '~/i18n/locales';
import { useLocale } from '~/i18n/use-locale';
import { formatNumber } from '~/ui/format';
import { Icon } from '~/ui/icon';

const PNG_SIZES = [512, 1024, 2048, 4096];
const PDF_SIZES = [20, 40, 80, 200];
/** Scanning distance is about ten times the width of the dark symbol, without its quiet zone of 4 modules a side. */
const DISTANCE_RATIO = 10;
const QUIET_MODULES = 8;

interface Props {
  code: { id: string; dynamic: boolean; visibility: 'private' | 'public' };
  /** Modules along one side, quiet zone included. */
  modules: number;
}

/** Plain links, each naming format and size; files are made and read back when they are asked for. */
export function CodeDownloads({ code: { id, dynamic, visibility }, modules }: Props) {
  const { t } = useTranslation('codes');
  return (
    <section className="sheet" id="downloads">
      <h2>{t('downloads.heading')}</h2>
      <p>{t('downloads.lead')}</p>
      {dynamic ? (
        <>
          <DownloadLinks id={id} variant="tracked" modules={modules} />
          <details>
            <summary>{t('downloads.direct')}</summary>
            <p className="note">{t('downloads.directText')}</p>
            {visibility === 'private' && <p className="warning">{t('downloads.directPrivate')}</p>}
            <DownloadLinks id={id} variant="direct" />
          </details>
        </>
      ) : (
        <>
          <p className="note">{t('downloads.staticText')}</p>
          <DownloadLinks id={id} variant="direct" modules={modules} />
        </>
      )}
    </section>
  );
}

function DownloadLinks({
  id,
  variant,
  modules,
}: {
  id: string;
  variant: 'tracked' | 'direct';
  modules?: number;
}) {
  const { t } = useTranslation('codes');
  const locale = useLocale();
  const href = (format: string, size: number) =>
    `/user/qrcodes/${id}/download?format=${format}&size=${size}&variant=${variant}`;
  const metres = (mm: number) => {
    const share = modules ? (modules - QUIET_MODULES) / modules : 1;
    const options = { minimumFractionDigits: 1, maximumFractionDigits: 1 };
    return formatNumber((mm * share * DISTANCE_RATIO) / 1000, LOCALES[locale].tag, options);
  };
  return (
    <dl className="downloads">
      <dt>PNG</dt>
      <dd>
        <ul>
          {PNG_SIZES.map((size) => (
            <li key={size}>
              <a href={href('png', size)}>
                <Icon name="download" /> {t('downloads.png', { size })}
              </a>
            </li>
          ))}
        </ul>
      </dd>
      <dt>SVG</dt>
      <dd>
        <a href={href('svg', 1024)}>
          <Icon name="download" /> {t('downloads.svg')}
        </a>
      </dd>
      <dt>PDF</dt>
      <dd>
        <ul>
          {PDF_SIZES.map((size) => (
            <li key={size}>
              <a href={href('pdf', size)}>
                <Icon name="download" /> {t('downloads.pdf', { size })}
              </a>{' '}
              <span className="muted">{t('downloads.distance', { metres: metres(size) })}</span>
            </li>
          ))}
        </ul>
      </dd>
    </dl>
  );
}
