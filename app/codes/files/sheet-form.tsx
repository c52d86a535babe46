import { Link } from '@remix-run/react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { LOCALES } from '#contract/locales';
import { PartsNote, SelectionFields, SortField } from '~/codes/list/selection';
import { useLocale } from '~/i18n/use-locale';
import { Button } from '~/ui/button';
import { CheckboxField, Field, SelectField } from '~/ui/field';
import { formatNumber } from '~/ui/format';
import { FormPage } from '~/ui/page-layouts';
import { RadioGroup } from '~/ui/radio-group';
import { ChangedTexts, isCutKnown } from './changed-texts';
import { printAdvice } from './print-advice';
import type { SheetPage } from './sheet.server';
import {
  describeLabels,
  divide,
  isLayout,
  isPoster,
  LABEL_LAYOUTS,
  type LabelLayout,
  type LayoutName,
  layOut,
  type Place,
  POSTER_LAYOUTS,
} from './sheet-layouts';

const CAPTIONS = ['both', 'name', 'action', 'none'] as const;
const PAPERS = ['a4', 'letter'] as const;

type Values = SheetPage['values'];
type FieldName = keyof Values;

const idOf = (name: FieldName) => `sheet-${name}`;
const rangeOf = ({ from, to }: SheetPage['parts'][number]) => `${from}–${to}`;

/**
 * Options of a print sheet: a native form, because the response is a file; with scripts, the preview updates
 * live.
 */
export function SheetForm({ page }: { page: SheetPage }) {
  const { t } = useTranslation('files');
  const { count, parts, most, isBeyondList, selection, method, sort, problems } = page;
  const [values, setValues] = useState(page.values);
  const field = (name: FieldName) => ({ id: idOf(name), name, initialValue: page.values[name] });
  const errorOf = (name: FieldName) => {
    const problem = problems.find((one) => one.field === name);
    return problem && t(`sheet.problems.${problem.key}`);
  };
  const errors = problems.map(({ field, key }) => ({ field: idOf(field), text: t(`sheet.problems.${key}`) }));
  const follow = (form: HTMLFormElement) => {
    const entered = Object.fromEntries(new FormData(form));
    setValues({ ...page.values, marks: '', ...(entered as Partial<Values>) });
  };
  return (
    <FormPage title={t('sheet.heading', { count })} lead={t('sheet.lead')} errors={errors}>
      <ChangedTexts page={page} chosen={values} />
      <form
        id="sheet"
        method={method}
        action="/user/qrcodes/sheet/download"
        className="form sheet-form"
        noValidate
        onChange={(event) => follow(event.currentTarget)}
      >
        <SelectionFields selection={selection} />
        <div className="sheet-form__fields">
          {PAPERS.map((paper) => (
            <RadioGroup
              key={paper}
              field={{
                ...field('layout'),
                id: paper === 'a4' ? idOf('layout') : `${idOf('layout')}-${paper}`,
              }}
              legend={t(`sheet.papers.${paper}`)}
              options={LABEL_LAYOUTS.filter((name) => name.startsWith(paper)).map((value) => ({
                value,
                label: t('sheet.labels', { count: describeLabels(value).count }),
                hint: <LabelHint layout={value} />,
              }))}
              error={paper === 'a4' ? errorOf('layout') : undefined}
            />
          ))}
          <RadioGroup
            field={{ ...field('layout'), id: `${idOf('layout')}-poster` }}
            legend={t('sheet.posters')}
            options={POSTER_LAYOUTS.map((value) => ({ value, label: value.slice(-2).toUpperCase() }))}
          />
          <Field
            field={field('start')}
            label={t('sheet.start')}
            hint={t('sheet.startHint')}
            error={errorOf('start')}
            inputMode="numeric"
            autoComplete="off"
          />
          <CheckboxField field={field('marks')} label={t('sheet.marks')} hint={t('sheet.marksHint')} />
          <RadioGroup
            field={field('caption')}
            legend={t('sheet.caption')}
            options={CAPTIONS.map((value) => ({ value, label: t(`sheet.captions.${value}`) }))}
            error={errorOf('caption')}
          />
          <Field
            field={field('action')}
            label={t('sheet.action')}
            error={errorOf('action')}
            autoComplete="off"
          />
          {count > 1 && <SortField id="sheet-sort" sort={sort} />}
          {parts.length > 1 && (
            <SelectField
              field={field('part')}
              label={t('sheet.part')}
              options={parts.map((one, n) => ({ value: String(n + 1), label: rangeOf(one) }))}
              error={errorOf('part')}
            />
          )}
          {isBeyondList && <PartsNote count={parts.length} most={most} />}
          <div className="actions">
            <Button>{t('sheet.submit')}</Button>
            <Button variant="secondary" formAction="/user/qrcodes/sheet">
              {t('sheet.show')}
            </Button>
            <Link to="/user/qrcodes">{t('back')}</Link>
          </div>
        </div>
        <Proof page={page} values={values} />
      </form>
    </FormPage>
  );
}

function LabelHint({ layout }: { layout: LabelLayout }) {
  const { t } = useTranslation('files');
  const { tag } = LOCALES[useLocale()];
  const { width, height, makers } = describeLabels(layout);
  const format = (mm: number) => formatNumber(mm, tag, { maximumFractionDigits: 1 });
  return (
    <>
      {format(width)} × {format(height)} mm · {makers || t('sheet.toCut')}
    </>
  );
}

/** The sheet in outline, and advice on its printed codes. */
function Proof({ page, values }: { page: SheetPage; values: Values }) {
  const { t } = useTranslation('files');
  const { tag } = LOCALES[useLocale()];
  const layout = isLayout(values.layout) ? values.layout : 'a4-24';
  const hasCutMarks = values.marks === 'on';
  const { places } = layOut(layout, hasCutMarks);
  const start = Math.min(places.length, Math.max(1, Number.parseInt(values.start, 10) || 1));
  const hasName = ['both', 'name'].includes(values.caption);
  const hasAction = ['both', 'action'].includes(values.caption) && values.action !== '';
  const [first] = places;
  const { size, across, ratio } = page.largest;
  const width = first ? divide(first, hasName || hasAction, ratio).code.width : 0;
  const { scanDistanceMm, minPrintMm } = printAdvice({ size, across, mm: width });
  const metres = formatNumber(scanDistanceMm / 1000, tag, {
    minimumFractionDigits: 1,
    maximumFractionDigits: 1,
  });
  const [{ from, to } = { from: 1, to: page.count }] = page.parts.slice(Number(values.part) - 1);
  const pages = Math.ceil((start - 1 + to - from + 1) / places.length);
  return (
    <div className="sheet-form__proof">
      <SheetPreview
        {...{ layout, start, hasCutMarks, hasName, hasAction, ratio }}
        count={to - from + 1}
        label={t('sheet.picture')}
      />
      <p>
        {`${t('sheet.pages', { count: pages })} ${t('sheet.distance', { width: Math.floor(width), metres })}`}
      </p>
      {minPrintMm > width && <p className="warning">{t('sheet.tooSmall', { least: minPrintMm })}</p>}
      {!isCutKnown({ page, chosen: values }) && <p className="note">{t('sheet.cutUnknown')}</p>}
      <p className="note">{t(isPoster(layout) ? 'sheet.printPoster' : 'sheet.printLabels')}</p>
    </div>
  );
}

interface Props {
  layout: LayoutName;
  start: number;
  count: number;
  hasCutMarks: boolean;
  hasName: boolean;
  hasAction: boolean;
  /** Height of the codes relative to their width. */
  ratio: number;
  label: string;
}

/** Finder patterns of a code, in sevenths of its width: enough to show what will be printed where. */
const FINDERS = [
  [0, 0],
  [5, 0],
  [0, 5],
] as const;

/** The first page in outline: its labels, including empty ones, and where codes and captions go. */
function SheetPreview({ layout, start, count, hasCutMarks, hasName, hasAction, ratio, label }: Props) {
  const { page, places } = layOut(layout, hasCutMarks);
  const isUsed = (place: number) => place >= start - 1 && place < start - 1 + count;
  return (
    <svg
      className="sheet-preview"
      viewBox={`0 0 ${page.width} ${page.height}`}
      role="img"
      aria-label={label}
      strokeWidth={0.4}
    >
      <rect className="sheet-preview__page" width={page.width} height={page.height} />
      {places.map((place, number) => (
        <g key={`${place.x} ${place.y}`}>
          <rect
            className="sheet-preview__label"
            x={place.x}
            y={place.y}
            width={place.width}
            height={place.height}
            strokeDasharray={isUsed(number) ? undefined : '2 2'}
          />
          {isUsed(number) && <LabelOutline {...{ place, hasName, hasAction, ratio }} />}
        </g>
      ))}
    </svg>
  );
}

type OutlineProps = Pick<Props, 'hasName' | 'hasAction' | 'ratio'> & { place: Place };

function LabelOutline({ place, hasName, hasAction, ratio }: OutlineProps) {
  const { code, caption } = divide(place, hasName || hasAction, ratio);
  const quiet = code.width * 0.1;
  const inner = { x: code.x + quiet, y: code.y + quiet, side: code.width - 2 * quiet };
  const seventh = inner.side / 7;
  const line = caption ? Math.min(caption.height * 0.16, 8) : 0;
  return (
    <>
      <g className="sheet-preview__ink">
        {FINDERS.map(([column, row]) => (
          <rect
            key={`${column} ${row}`}
            x={inner.x + column * seventh}
            y={inner.y + row * seventh}
            width={2 * seventh}
            height={2 * seventh}
          />
        ))}
        <rect x={inner.x + 3 * seventh} y={inner.y + 3 * seventh} width={seventh} height={seventh} />
        <rect x={inner.x + 5 * seventh} y={inner.y + 4 * seventh} width={seventh} height={2 * seventh} />
        <rect x={inner.x + 3 * seventh} y={inner.y + 6 * seventh} width={2 * seventh} height={seventh} />
      </g>
      {caption && (
        <g className="sheet-preview__text">
          {hasName && <rect x={caption.x} y={caption.y + line} width={caption.width} height={line * 1.2} />}
          {hasAction && (
            <rect
              x={caption.x + caption.width * 0.1}
              y={caption.y + line * (hasName ? 3 : 1)}
              width={caption.width * 0.8}
              height={line}
            />
          )}
        </g>
      )}
    </>
  );
}
