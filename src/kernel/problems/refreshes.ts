import type { Explanations } from './kinds.ts'

/** ING00x: demo extracts. ING10x: the source. ING11x: its content. ING12x and ING13x: the run of a refresh. ING15x: a warehouse as the source. ING17x: its check. */
export const refreshExplanations = {
  ING001: {
    meaning: '`tripfolio demo`: a number is out of range.',
    action: 'Give a whole number in the range that the message names.',
  },
  ING002: {
    meaning: '`tripfolio demo`: the folder for the extract is a file.',
    action: 'Name a folder that is empty or does not exist yet.',
  },
  ING003: {
    meaning: '`tripfolio demo`: the folder holds files that do not belong to a demo extract.',
    action: 'Name a folder that is empty or does not exist yet. Nothing was changed.',
  },
  ING004: {
    meaning: '`tripfolio demo`: the extract cannot be written.',
    action: 'Check that you may write to the folder and that the disk has space.',
  },
  ING100: {
    meaning: 'A refresh was started without a source.',
    action: 'Name the folder of the extract with --source or TRIPFOLIO_SOURCE.',
  },
  ING101: {
    meaning: 'The source folder cannot be read.',
    action: 'Name the folder of the extract, and check that the user of the service may read it.',
  },
  ING102: {
    meaning: 'A table has no file in the source folder, or no table or view in the warehouse.',
    action: 'Export the table. A table without rows is a file with a header only.',
  },
  ING103: {
    meaning: 'A table lacks columns that it must have.',
    action: 'Export these columns. docs/reference/extract-tables.md lists all of them.',
  },
  ING104: {
    meaning: 'A file of the extract is empty.',
    action:
      'Check whether the export failed. A table without rows has a header, or is NDJSON with one empty line.',
  },
  ING105: {
    meaning: 'A file of the extract cannot be read.',
    action: 'Export it again: it may be damaged or unfinished.',
  },
  ING106: {
    meaning: 'A table has files of more than one kind.',
    action: 'Keep one format and one layout for each table.',
  },
  ING107: {
    meaning: 'The mapping tripfolio.sql failed, or holds a statement or a function that is not allowed.',
    action: 'Correct the SQL: it has to make one view for each table, from what its folder holds.',
  },
  ING108: {
    meaning: 'The header of a file cannot be used.',
    action: 'Write one line of column names in UTF-8, each name once.',
  },
  ING109: {
    meaning: 'A file of the extract, or with a mapping its folder, changed while it was read.',
    action:
      'Refresh when the export is finished. To avoid this, export under another name and rename at the end.',
  },
  ING110: {
    meaning: 'Too many rows of a table were rejected.',
    action:
      'See the causes in the message and the list that it names. Correct the extract, or raise the setting maxRejectShare.',
  },
  ING111: {
    meaning: 'The extract has no bookings, but the current snapshot has some.',
    action: 'Check whether the export failed. If the loss is intended, refresh with --accept-shrink once.',
  },
  ING113: {
    meaning: 'A table lost more of its rows than the setting maxTableShrink allows.',
    action:
      'Check whether the export was cut off. If the loss is intended, refresh with --accept-shrink once.',
  },
  ING114: {
    meaning: 'More clients lost all of their bookings or invoices than the setting maxClientsEmptied allows.',
    action:
      'Check whether the export left clients out. If the loss is intended, refresh with --accept-shrink once.',
  },
  ING115: {
    meaning: 'The list of files extract.json cannot be used.',
    action: 'Write the list again in the form that the message shows, or delete it.',
  },
  ING116: {
    meaning: 'A file differs from its entry in extract.json.',
    action: 'Export again, and write extract.json last.',
  },
  ING117: {
    meaning:
      'Client numbers are stored as numbers, and one occurs twice. Lost zeros may have merged two clients.',
    action: 'Export client_number as text. If it is correct as a number, export each client once.',
  },
  ING119: {
    meaning: 'A key column is stored as numbers, and two keys of its parent differ only in leading zeros.',
    action: 'Export the column as text.',
  },
  ING121: {
    meaning: 'Another refresh of the same data folder is running.',
    action: 'Wait until it has finished.',
  },
  ING122: {
    meaning: 'The refresh was stopped before it published anything.',
    action: 'Run it again when you need it.',
  },
  ING123: {
    meaning: '`tripfolio ingest` took longer than the setting refreshTimeLimitSeconds.',
    action: 'Find out what made it slow, or raise the setting.',
  },
  ING124: {
    meaning: 'The lock file of refreshes cannot be used.',
    action:
      'Check that no refresh runs and that the user may write to the data folder, then delete the file.',
  },
  ING128: {
    meaning: 'A record would have held a row of another client. Nothing was published.',
    action: 'Report this as a defect of Tripfolio, together with the layout of the extract.',
  },
  ING129: {
    meaning: 'The refresh failed with an unexpected error.',
    action: 'Read the reason in the message. Report it if your own system is not the cause.',
  },
  ING130: {
    meaning: 'The data folder cannot be written. The extract is not to blame.',
    action: 'Free some space, or follow the hint in the message.',
  },
  ING140: {
    meaning:
      'A mapping states an encoding, an escape or a quote that does not exist, is that of an unknown table, or does not suit all views of a file.',
    action: "Write SET VARIABLE encoding = 'windows-1252', or what the message says.",
  },
  ING141: {
    meaning: 'A file is not text in UTF-8, such as UTF-16, a compressed file or a spreadsheet.',
    action: 'State its encoding in tripfolio.sql, rename it, or export it as UTF-8, as the message says.',
  },
  ING142: {
    meaning: 'A folder of a table holds an unfinished export, a table format, or other folders.',
    action: 'Export plain files into the folder, or into folders such as year=2025.',
  },
  ING143: {
    meaning: 'The folder of the extract holds a link that leads out of it, or the data folder.',
    action: 'Copy the file instead of linking it. The folder of the extract itself may be a link.',
  },
  ING150: {
    meaning: 'The source begins like the URL of a PostgreSQL database, but is none.',
    action: 'Percent-encode special characters of the password, or give it as PGPASSWORD.',
  },
  ING151: {
    meaning: 'The mapping of a warehouse cannot be read, or is not a list of views.',
    action: 'Write CREATE VIEW ... AS SELECT ...; for each table. docs/how-to/warehouse.md has an example.',
  },
  ING152: {
    meaning: 'The SQL of a table failed in the warehouse.',
    action: 'Correct the SQL at the place that the message names, or the value that it cannot convert.',
  },
  ING153: {
    meaning: 'A column of a warehouse has a type with several values or with bytes.',
    action: 'Make it a text in a mapping, for example with array_to_string.',
  },
  ING154: {
    meaning: 'The user of a warehouse may not read a table.',
    action: 'Grant the user the right to read the schema and the table.',
  },
  ING170: {
    meaning: '`tripfolio ingest --check`: the file for the mapping exists already.',
    action: 'Name a new file. Nothing was changed.',
  },
  ING171: {
    meaning: '`tripfolio ingest --check`: the mapping cannot be written.',
    action: 'Name a file in a folder in which you may write.',
  },
  ING172: {
    meaning: '`tripfolio ingest`: --mapping was given for a folder without --check.',
    action:
      'Add --check. A refresh reads tripfolio.sql from the folder of the extract; only a warehouse has its mapping elsewhere.',
  },
  ING173: {
    meaning: '`tripfolio ingest --check` was stopped before it ended.',
    action: 'Run it again. Nothing was changed.',
  },
  ING180: {
    meaning:
      'A text column holds values of another type, such as 12.5, true or a time, whose text is uncertain.',
    action:
      'Export the column as text, or say in a mapping which text is meant. The message names the cast; `tripfolio ingest --check` drafts it.',
  },
  DIR490: {
    meaning: 'Admin API: there is no refresh with this id. The last 1,000 are kept.',
    action: 'Look up the id in the list of refreshes.',
  },
  DIR491: {
    meaning: 'The process of a refresh died without noting how the refresh ended.',
    action:
      'Look with `tripfolio snapshot list` whether it has published, then refresh again. If the process was killed, the machine may lack memory.',
  },
} satisfies Explanations
