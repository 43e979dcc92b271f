/** A chart with its title, its numbers as a table for those who do not see it, and both as files. */
import { ActionIcon, Box, Table, Text, Title, Tooltip } from '@mantine/core'
import { IconChartBar, IconFileTypeCsv, IconPhotoDown, IconTable } from '@tabler/icons-react'
import { type ComponentType, type ReactNode, useRef, useState } from 'react'
import { chartTexts as texts } from '../../texts/charts.ts'
import { saveFile } from '../save-file.ts'
import classes from './chart.module.css'
import { Chart, type ChartHandle } from './chart.tsx'
import { type ChartData, chartCsv, fileNameOf } from './chart-data.ts'

type Props = {
  readonly title: string
  /** What to know of the numbers, such as where they come from. */
  readonly note?: ReactNode
  readonly data: ChartData
  readonly height?: number
  readonly format?: (value: number) => string
  readonly axisFormat?: (value: number) => string
  /** Nothing is known yet: the room is kept free. */
  readonly isPending?: boolean
  readonly onPick?: (index: number) => void
  /** Between the title and the buttons, such as a choice of what is drawn. */
  readonly tools?: ReactNode
  /** 2 below the heading of the page. */
  readonly headingLevel?: 2 | 3
  /** What to say where all values are zero or missing; without it, they are drawn. */
  readonly nothing?: string
}

export function ChartFrame(props: Props): ReactNode {
  const {
    title,
    note,
    data,
    height = 14,
    format = String,
    axisFormat,
    onPick,
    tools,
    headingLevel = 2,
    isPending = false,
    nothing,
  } = props
  const [isTable, setTable] = useState(false)
  const chart = useRef<ChartHandle>(null)
  const isNothing = data.series.every(({ values }) => values.every((value) => value === null || value === 0))
  const isEmpty = isPending || data.categories.length === 0 || (nothing !== undefined && isNothing)
  const savePicture = async () => {
    const picture = await chart.current?.picture()
    if (picture) saveFile(`${fileNameOf(title)}.png`, picture)
  }
  const saveCsv = () =>
    saveFile(`${fileNameOf(title)}.csv`, new Blob([chartCsv(data)], { type: 'text/csv;charset=utf-8' }))
  return (
    <section className={classes.frame} aria-label={title}>
      <div className={classes.head}>
        <Title order={headingLevel} size="h5">
          {title}
        </Title>
        {tools}
        <div className={classes.tools}>
          {!isEmpty && (
            <Tool
              label={isTable ? texts.asChart(title) : texts.asTable(title)}
              icon={isTable ? IconChartBar : IconTable}
              onClick={() => setTable(!isTable)}
            />
          )}
          {!isTable && !isEmpty && (
            <Tool label={texts.savePicture(title)} icon={IconPhotoDown} onClick={() => void savePicture()} />
          )}
          {!isEmpty && <Tool label={texts.saveCsv(title)} icon={IconFileTypeCsv} onClick={saveCsv} />}
        </div>
      </div>
      {note !== undefined && <div className={classes.note}>{note}</div>}
      {isPending ? (
        <div style={{ minHeight: `${height}rem` }} />
      ) : isEmpty ? (
        <Text c="var(--text-dim)" style={{ minHeight: `${height}rem` }}>
          {nothing ?? texts.empty}
        </Text>
      ) : isTable ? (
        <ChartTable title={title} data={data} height={height} format={format} onPick={onPick} />
      ) : (
        <Chart ref={chart} label={title} {...{ data, height, format, axisFormat, onPick }} />
      )}
    </section>
  )
}

type ToolProps = {
  readonly label: string
  readonly icon: ComponentType<{ readonly size?: number; readonly 'aria-hidden'?: boolean }>
  readonly onClick: () => void
}

const Tool = ({ label, icon: Icon, onClick }: ToolProps): ReactNode => (
  <Tooltip label={label}>
    <ActionIcon variant="subtle" color="gray" size="sm" aria-label={label} onClick={onClick}>
      <Icon size={16} aria-hidden />
    </ActionIcon>
  </Tooltip>
)

type TableProps = {
  readonly title: string
  readonly data: ChartData
  readonly height: number
  readonly format: (value: number) => string
  readonly onPick: ((index: number) => void) | undefined
}

/** Takes the room of the chart and scrolls within it, so that the page does not jump. */
function ChartTable({ title, data, height, format, onPick }: TableProps): ReactNode {
  const { categoryName, categories, series } = data
  return (
    <Box
      className={classes.table}
      h={`${height}rem`}
      tabIndex={0}
      role="region"
      aria-label={texts.tableOf(title)}
    >
      <Table aria-label={title} verticalSpacing={3} stickyHeader>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{categoryName}</Table.Th>
            {series.map(({ name }) => (
              <Table.Th key={name} className={classes.number}>
                {name}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {categories.map((category, index) => (
            <Table.Tr key={category}>
              <Table.Th fw={400} scope="row">
                {onPick === undefined ? (
                  category
                ) : (
                  <button
                    type="button"
                    className={classes.pick}
                    title={category}
                    onClick={() => onPick(index)}
                  >
                    {category}
                  </button>
                )}
              </Table.Th>
              {series.map(({ name, values }) => (
                <Table.Td key={name} className={classes.number}>
                  {typeof values[index] === 'number' ? format(values[index]) : '–'}
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Box>
  )
}
