/** `/statistics/{series}`: one series of the chain over time, with its values and downloads. */

import { seriesPoints } from '../../answers/series-points.ts';
import { hoursOfRange, parseSeriesId, parseSeriesRange } from '../../serving/parse/series.ts';
import { readSeries, seriesDefinition } from '../../store/queries/chain/series.ts';
import { type AnyPage, definePage, type ExplorerContext } from '../define-page.ts';
import { html } from '../html.ts';
import { downloadLinks, parsePeriod, periodQuery } from '../parts/downloads.ts';
import { chartedPoints, fromFirstChange, intervalForm, pointText, seriesChart, shownSeries } from '../parts/series.ts';
import { column, numberColumn, table } from '../parts/table.ts';
import { newestFirst, textOf } from '../words/catalogue.ts';
import { localDecimal } from '../words/formats.ts';

export function seriesPage({ site }: ExplorerContext): AnyPage {
  return definePage({
    path: '/statistics/:id',
    parse: ({ params, query }) => {
      const id = parseSeriesId(params.id!);
      const period = parsePeriod(query);
      return { id, period, range: parseSeriesRange({ interval: query.interval, ...periodQuery(period) }, id) };
    },
    read: (store, { id, range }) => readSeries(store, id, range.interval, hoursOfRange(range)),
    render: ({ rows }, { id, period, range }) => {
      const { interval } = range;
      const { points, completeUntil } = seriesPoints(site.network, id, range, rows);
      const known = chartedPoints(id, rows[0]!, points);
      const charted = period.from === '' ? fromFirstChange(known) : known;
      const { title, textOfValue } = shownSeries(site, id, charted);
      const path = `/statistics/${id}`;
      const values = table(points.toReversed(), {
        caption: newestFirst(title),
        id: 'values',
        columns: [
          column('Time (UTC)', ({ time }) => pointText(interval, time)),
          numberColumn('Value', ({ time, value }) =>
            time < completeUntil
              ? localDecimal(textOfValue(value))
              : html`${localDecimal(textOfValue(value))} <span class="muted">so far</span>`,
          ),
        ],
        empty: 'Nothing in this period.',
      });
      const api = `/statistics/series/${id}`;
      const { intervals } = seriesDefinition(id);
      return {
        title,
        section: 'statistics',
        canonical: path,
        isUnlisted: interval !== 'day' || period.from !== '' || period.to !== '',
        api: [`${api}?${new URLSearchParams({ interval, ...periodQuery(period) })}`, '/statistics/series'],
        body: html`<h1>${textOf(title)}</h1>${intervalForm(site, path, { interval, intervals, period })}${
          points.length === 0 ? values : seriesChart(site, id, interval, charted, values)
        }${downloadLinks(site, api, { interval, ...periodQuery(period) })}<p><a href="${site.href('/statistics')}">All statistics</a></p>`,
      };
    },
  });
}
