/** Texts of charts. */
export const chartTexts = {
  asTable: (title: string) => `Show ${title} as a table`,
  asChart: (title: string) => `Show ${title} as a chart`,
  tableOf: (title: string) => `${title} as a table`,
  savePicture: (title: string) => `Save ${title} as a picture (PNG)`,
  saveCsv: (title: string) => `Save ${title} as CSV`,
  empty: 'There is nothing to draw.',
} as const
