import '~/styles/code-pages.css';
import type { LoaderFunctionArgs } from '@remix-run/node';
import { Link, useLoaderData } from '@remix-run/react';
import { useTranslation } from 'react-i18next';
import { LOCALES } from '#contract/locales';
import { ScanGrade } from '~/codes/look/scan-grade';
import { DECODER_NAMES, DECODERS, type Decoder, type ScanReport, VIEWS } from '~/codes/look/scan-report';
import { requireUser } from '~/http/guards.server';
import { useLocale } from '~/i18n/use-locale';
import { buttonClass } from '~/ui/button';
import { DefinitionList } from '~/ui/definition-list';
import { formatNumber } from '~/ui/format';
import { TableScroller } from '~/ui/table-scroller';
import { checkFile } from './downloads.server';
import type { CodeFormat } from './formats';

export const handle = { page: 'codes:check' };

export async function loader({ params, ...args }: LoaderFunctionArgs) {
  return checkFile(await requireUser(args), params.id);
}

export { shouldRevalidate } from '~/ui/form-route';

export default function FileCheckPage() {
  const check = useLoaderData<typeof loader>();
  const { t } = useTranslation('codes');
  return (
    <div className="page file-check">
      <p>
        <Link to={check.back}>{t('check.back')}</Link>
      </p>
      <h1>{t('check.title')}</h1>
      <p className="lead whole-address">{check.fileName}</p>
      <FileCheck check={check} />
    </div>
  );
}

interface FileCheckProps {
  check: {
    /** Path of the code's page. */
    back: string;
    format: CodeFormat;
    /** Width in pixels; for PDF, in millimetres. */
    size: number;
    variant: 'tracked' | 'direct';
    /** Length of the file. */
    bytes: number;
    /** Least printed width that scans well. */
    minPrintMm: number;
    readBack: string;
    readBy: Decoder[];
    /** Present for a file without a background. */
    readOn?: string | undefined;
    /** Present for a custom look. */
    scan?: ScanReport | undefined;
  };
}

/** What was read from a finished file, and the readings its grade is based on. */
function FileCheck({ check }: FileCheckProps) {
  const { back, format, size, variant, bytes, minPrintMm, readBack, readBy, readOn, scan } = check;
  const { t } = useTranslation('codes');
  const { tag } = LOCALES[useLocale()];
  const list = new Intl.ListFormat(tag, { type: 'conjunction' });
  const unit = format === 'pdf' ? 'mm' : 'px';
  const kilobytes = { style: 'unit', unit: 'kilobyte', maximumFractionDigits: 1 } as const;
  const query = new URLSearchParams({ format, size: String(size), variant });
  return (
    <>
      <DefinitionList
        items={[
          { term: t('check.format'), value: format.toUpperCase() },
          { term: t('downloads.width'), value: `${formatNumber(size, tag)} ${unit}` },
          { term: t('check.least'), value: `${minPrintMm} mm` },
          { term: t('check.size'), value: formatNumber(bytes / 1000, tag, kilobytes) },
          { term: t('check.content'), value: <bdi className="mono">{readBack}</bdi> },
          { term: t('check.readBy'), value: list.format(readBy.map((decoder) => DECODER_NAMES[decoder])) },
          ...(readOn ? [{ term: t('check.ground'), value: t('check.onWhite') }] : []),
        ]}
      />
      {format === 'pdf' && size < minPrintMm && <p className="warning">{t('check.tooSmall')}</p>}
      <p>{t(scan ? 'check.look' : 'check.plain')}</p>
      {scan && (
        <section aria-labelledby="grade">
          <h2 id="grade">{t('check.grade')}</h2>
          <ScanGrade scan={scan} />
          <ScanTable scan={scan} />
        </section>
      )}
      <p className="actions">
        <a href={`${back}/download?${query}`} className={buttonClass('primary')} download>
          {t('downloads.get', { format: format.toUpperCase() })}
        </a>
      </p>
    </>
  );
}

/** What each decoder read in each view of a drawing, and in the proof pictures of a look. */
function ScanTable({ scan: { missed, proofs } }: { scan: ScanReport }) {
  const { t } = useTranslation('design');
  const rows: { name: string; missedBy: Decoder[] }[] = [
    ...VIEWS.map((view) => ({
      name: t(`scan.views.${view}`),
      missedBy: missed.find((one) => one.view === view)?.decoders ?? [],
    })),
    ...proofs.map(({ proof, missedBy }) => ({ name: t(`scan.proofs.${proof}`), missedBy })),
  ];
  return (
    <TableScroller labelledBy="scan-table">
      <table className="table table--compact">
        <caption>
          <h3 id="scan-table">{t('scan.table')}</h3>
        </caption>
        <thead>
          <tr>
            <th scope="col">{t('scan.picture')}</th>
            {DECODERS.map((decoder) => (
              <th key={decoder} scope="col">
                {DECODER_NAMES[decoder]}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ name, missedBy }) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              {DECODERS.map((decoder) => (
                <td key={decoder}>{t(missedBy.includes(decoder) ? 'scan.notRead' : 'scan.read')}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </TableScroller>
  );
}
