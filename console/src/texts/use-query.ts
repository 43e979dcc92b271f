/** Texts of "use this query". */
export const useQueryTexts = {
  title: 'Use this query',
  hint: 'Each piece reads all records of this view, with its filter, order and columns. Put your key where YOUR_KEY stands, better into a variable of the environment than into a file.',
  languages: {
    url: 'URL',
    curl: 'curl',
    python: 'Python',
    javascript: 'JavaScript',
    powerQuery: 'Power Query',
    duckdb: 'DuckDB',
  },
  needs: {
    url: 'Send the key in the header X-API-Key. A browser alone cannot.',
    curl: 'For a shell such as bash or zsh. The key comes from the variable TRIPFOLIO_KEY.',
    python: 'Python 3 with its standard library.',
    javascript: 'Node.js 20 or newer, as a module.',
    powerQuery: 'Excel or Power BI: a blank query, its advanced editor. Choose anonymous access when asked.',
    duckdb:
      'DuckDB with its extension httpfs. It asks again for each query; make a table of it to keep the records.',
  },
  copy: 'Copy it',
} as const
