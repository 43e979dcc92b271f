import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { parseMapping, readMapping } from './mapping-file.ts'

describe('the mapping of a warehouse', () => {
  const accepted: readonly (readonly [
    text: string,
    views: readonly (readonly [string, string, number])[],
  ])[] = [
    ['create view clients as select 1', [['clients', 'select 1', 1]]],
    ['CREATE OR REPLACE VIEW Clients AS\n\n  SELECT 1;\n', [['clients', 'SELECT 1', 3]]],
    ['create temp view "clients" as table x;;', [['clients', 'table x', 1]]],
    ['create or replace temporary view clients as (select 1)', [['clients', '(select 1)', 1]]],
    ['\uFEFFcreate view clients as select 1', [['clients', 'select 1', 1]]],
    [
      `-- a comment; with 'quotes\n/* and /* nested; */ ones */ create /* x */ view clients -- y\n as select ';--' as a, E'\\';' as b, ";" as c, $x$;$$;$x$ as d, 'it''s;' -- end\n;
create view bookings as select price$1, $1;`,
      [
        ['clients', `select ';--' as a, E'\\';' as b, ";" as c, $x$;$$;$x$ as d, 'it''s;'`, 3],
        ['bookings', 'select price$1, $1', 5],
      ],
    ],
  ]
  for (const [text, views] of accepted) {
    it(`has the views of ${JSON.stringify(text.slice(0, 50))}`, () => {
      const read = parseMapping(text.replace(/^\uFEFF/, ''), 'x.sql')
      assert.deepEqual(
        read.map(({ table, query, line }) => [table, query, line]),
        views,
      )
    })
  }

  const refused: readonly (readonly [text: string, reason: RegExp])[] = [
    ['', /line 1: it has no view/],
    ['-- nothing\n', /line 2: it has no view/],
    ['create view clients as select 1;\nset work_mem = 1', /line 2: 'set work_mem = 1' is no CREATE VIEW/],
    ['create table clients as select 1', /line 1: 'create table clients as' is no CREATE VIEW/],
    ['create view export.clients as select 1', /is no CREATE VIEW/],
    ['create view clients (a) as select 1', /is no CREATE VIEW/],
    ['create view clients as ;', /is no CREATE VIEW/],
    ['\ncreate view client as select 1', /line 2: no table is called 'client'\. Is 'clients' meant\?/],
    ['create view debtors as select 1', /no table is called 'debtors'; the tables are clients, .*payments/],
    ['create view clients as select 1; create view CLIENTS as select 2', /view 'clients' occurs twice/],
    [`create view clients as\nselect 'open`, /line 2: the quote ' that begins here is not closed/],
    [`create view clients as select "open`, /line 1: the quote " that begins here is not closed/],
    ['create view clients as select 1\n/* /* */', /line 2: the comment that begins here is not closed/],
  ]
  for (const [text, reason] of refused) {
    it(`refuses ${JSON.stringify(text.slice(0, 50))}`, () => {
      assert.throws(() => parseMapping(text, 'x.sql'), {
        code: 'ING151',
        message: reason,
        hint: /CREATE VIEW/,
      })
    })
  }

  it('has to be a file that can be read', async () => {
    await assert.rejects(readMapping('/nowhere/x.sql'), {
      code: 'ING151',
      message: /^The mapping '\/nowhere\/x\.sql' cannot be read: ENOENT/,
    })
  })
})
