#!/usr/bin/env python3
"""Summaries of made-up studies whose answers are known."""
import csv
import json
import unittest

import synthetic
from synthetic import make_record
from lab.study import outputs, prediction, summary, table, wording


class SummaryCase(synthetic.Case):
    def scaling(self, time_of, cores=(1, 2, 4, 8), kind='strong', **plan):
        """A study of ranks x 1 whose time a sweep is time_of(cores), a little different in each repeat."""
        study = self.study(kind=kind, **plan)
        for count in cores:
            study.point(count, 1, [make_record(count, 1, time_of(count) * factor, tcomm=0.1)
                                   for factor in (1.01, 1.0, 0.99)])
        return study

    def summarise(self, study):
        self.found = summary.summarise(study.write())
        self.points = {point['name']: point for point in self.found['points']}
        return self.points

    def warned(self, words):
        lines = [line for line in wording.warnings(self.found) if words in line]
        self.assertTrue(lines, f'{words!r} is in none of {wording.warnings(self.found)}')
        return lines


class StrongTest(SummaryCase):
    def test_perfect_scaling(self):
        points = self.summarise(self.scaling(lambda cores: 0.01 / cores))
        for point in points.values():
            self.assertAlmostEqual(point['speedup'], point['cores'])
            self.assertAlmostEqual(point['efficiency'], 1)
        self.assertAlmostEqual(points['8x1']['karp_flatt'], 0)
        self.assertEqual(wording.warnings(self.found), [])
        self.assertEqual(self.found['series'][0]['base'], '1x1')
        self.assertAlmostEqual(self.found['series'][0]['amdahl']['serial_fraction'], 0)
        self.assertIn('On 8 cores a sweep takes 1.25 ms, 8 times as fast as on 1 core (efficiency 1.00)',
                      wording.answer(self.found))

    def test_amdahl_five_percent(self):
        points = self.summarise(self.scaling(lambda cores: 0.01 * (0.05 + 0.95 / cores)))
        self.assertAlmostEqual(points['8x1']['karp_flatt'], 0.05)
        fit = self.found['series'][0]['amdahl']
        self.assertAlmostEqual(fit['serial_fraction'], 0.05)
        self.assertIn('serial fraction 0.05 (95 % interval 0.05 to 0.05, from 4 core counts)',
                      wording.amdahl_text(fit))

    def test_too_few_points_for_an_interval(self):
        self.summarise(self.scaling(lambda cores: 0.01 / cores, cores=(1, 2)))
        self.assertIn('too few points', wording.amdahl_text(self.found['series'][0]['amdahl']))

    def test_statistics_of_a_point(self):
        point = self.summarise(self.scaling(lambda cores: 0.01 / cores))['2x1']
        self.assertAlmostEqual(point['sweep_s']['median'], 0.005)
        self.assertAlmostEqual(point['sweep_s']['spread'], 0.02)
        self.assertAlmostEqual(point['tcomm']['fraction']['median'], 0.1)
        self.assertAlmostEqual(point['tcomm']['max_of_ranks'], 0.1)
        self.assertAlmostEqual(point['phases_s']['sweep'], 0.0045)
        self.assertIsNone(point['phases_s']['wait'])
        self.assertAlmostEqual(point['rate_lups']['median'], 16e6 / 0.005)

    def test_rate_is_that_of_the_median_time(self):
        study = self.study(repeats=2)
        study.point(1, 1, [make_record(sweep_s=0.01), make_record(sweep_s=0.03)])
        point = self.summarise(study)['1x1']
        self.assertAlmostEqual(point['sweep_s']['median'], 0.02)
        self.assertAlmostEqual(point['rate_lups']['median'], 16e6 / 0.02)

    def test_first_block_is_not_timed(self):
        record = make_record(sweep_s=0.01)
        record.update(first_block_s=99.0)
        study = self.study(repeats=1)
        study.point(1, 1, [record])
        self.assertAlmostEqual(self.summarise(study)['1x1']['sweep_s']['median'], 0.01)

    def test_base_of_several_cores_is_named(self):
        points = self.summarise(self.scaling(lambda cores: 0.01 / cores, cores=(4, 8)))
        self.assertAlmostEqual(points['8x1']['speedup'], 2)
        self.assertAlmostEqual(points['8x1']['efficiency'], 1)
        self.assertIn('base: 4 x 1 (ranks x threads)', table.caption(self.found))

    def test_a_straggler(self):
        """One rank that sweeps 1.5 times as long shows as imbalance, not as a fault."""
        study = self.scaling(lambda cores: 0.01 / cores, cores=(1, 2))
        study.point(4, 1, [make_record(4, 1, 0.004, slowest=1.5, tcomm=0.3)] * 3)
        points = self.summarise(study)
        self.assertAlmostEqual(points['4x1']['imbalance']['median'], 0.5)
        self.assertAlmostEqual(points['4x1']['efficiency'], 0.625)
        _, rows = table.make_rows(table.detail_columns(self.found), self.found['points'])
        self.assertIn('50 %', rows[2])

    def test_a_cache_jump(self):
        """E03: 9 times as fast on 2 ranks is the cache or a bad base."""
        study = self.study()
        cache = 480 * 2**20  # of the kept record's machine
        study.point(1, 1, [make_record(1, 1, 0.09, memory_bytes=2 * cache)] * 3)
        study.point(2, 1, [make_record(2, 1, 0.01, memory_bytes=cache // 2)] * 3)
        points = self.summarise(study)
        self.assertAlmostEqual(points['2x1']['efficiency'], 4.5)
        line, = self.warned('superlinear')
        self.assertIn('Working set 240 MiB against 480 MiB of last-level cache, at the base 960 MiB', line)
        self.assertIn('now fits into the cache', line)

    def test_superlinear_without_a_cache_to_blame(self):
        self.summarise(self.scaling(lambda cores: 0.01 / cores**1.2, cores=(1, 2)))
        self.assertIn('look at the baseline', self.warned('superlinear')[0])

    def test_noise_is_told_with_advice(self):
        """E10"""
        study = self.study()
        study.point(1, 1, [make_record(1, 1, time_s) for time_s in (0.01, 0.011, 0.013)])
        self.summarise(study)
        self.assertIn('bind ranks and threads', self.warned('repeats vary by')[0])

    def test_noise_of_many_points_is_one_warning(self):
        study = self.study()
        for ranks, worst in ((1, 0.0101), (2, 0.013), (4, 0.012)):
            study.point(ranks, 1, [make_record(ranks, 1, time_s) for time_s in (0.01, 0.0101, worst)])
        self.summarise(study)
        line, = self.warned('repeats vary by')
        self.assertRegex(line, 'at 2 of 3 points, most at 2 x 1 by 1[0-9] %')

    def test_faster_layout_of_the_same_cores_is_not_superlinear(self):
        study = self.study(kind='matrix')
        study.point(1, 2, [make_record(1, 2, 0.02)] * 3)
        study.point(2, 1, [make_record(2, 1, 0.01)] * 3)
        self.assertEqual(self.summarise(study)['2x1']['notes'], [])


class MarkTest(SummaryCase):
    """What is not good is kept, marked and left out."""

    def with_bad(self, record, **entry):
        study = self.scaling(lambda cores: 0.01 / cores, cores=(1, 2, 4), repeats=3)
        name = study.point(8, 1, [record] * 3, **entry)
        point = self.summarise(study)[name]
        self.assertEqual(point['good_runs'], 0)
        self.assertNotIn('speedup', point)
        self.assertEqual(self.found['series'][0]['amdahl']['core_counts'], 3)
        self.assertEqual(point['marks'][0]['runs'], 3)
        self.assertIn(f"3 {point['marks'][0]['status']}", table.as_text(self.found))
        self.warned(f"8 x 1: 3 runs {point['marks'][0]['status']}")
        self.assertEqual(sum(sample['point'] == name for sample in self.found['samples']), 3)
        return point

    def test_oversubscribed(self):
        """C06: more threads than cores is no scaling; its time is still shown."""
        point = self.with_bad(make_record(8, 1, 0.5, problems=['node-oversubscribed']))
        self.assertEqual(point['marks'][0]['status'], 'oversubscribed')
        self.assertAlmostEqual(point['sweep_s']['median'], 0.5)

    def test_oversubscribed_by_number(self):
        study = self.study(cores=2, repeats=1)
        study.point(4, 1, [make_record(4, 1)])
        self.assertEqual(self.summarise(study)['4x1']['marks'][0]['status'], 'oversubscribed')

    def test_misbound(self):
        point = self.with_bad(make_record(8, 1, problems=['ranks-share-pus', 'topology-foreign']))
        self.assertEqual((point['marks'][0]['status'], point['marks'][0]['detail']),
                         ('mis-bound', 'ranks-share-pus'))
        self.assertEqual(point['binding_problems'], ['ranks-share-pus'])

    def test_unreadable_topology_spoils_nothing(self):
        study = self.study(repeats=1)
        study.point(1, 1, [make_record(problems=['topology-unreadable'])])
        self.assertEqual(self.summarise(study)['1x1']['good_runs'], 1)

    def test_failed_timed_out_and_without_record(self):
        self.assertEqual(self.with_bad(None, exit_code=6, complaint='exit code 6: no space')['marks'][0],
                         {'status': 'failed', 'runs': 3, 'detail': 'exit code 6: no space'})

    def test_timed_out(self):
        self.assertEqual(self.with_bad(None, timed_out=True, exit_code=-15, complaint='ended after 60 s')
                         ['marks'][0]['status'], 'timed out')

    def test_no_record(self):
        self.assertEqual(self.with_bad(None)['marks'][0]['status'], 'no record')

    def test_other_ends(self):
        for number, (reason, status) in enumerate((('diverged', 'diverged'), ('sweep limit', 'not converged'),
                                                   ('stagnated', 'stagnated'), ('signal', 'stopped'))):
            with self.subTest(reason):
                record = make_record()
                record.update(reason=reason)
                study = synthetic.Study(self.folder / str(number), repeats=1)
                study.point(1, 1, [record])
                self.assertEqual(self.summarise(study)['1x1']['marks'][0]['status'], status)

    def test_launcher_that_starts_two_worlds_of_one_rank(self):
        """F01, F02: each rank is rank 0 of 1."""
        self.assertEqual(self.with_bad(make_record(1, 1))['marks'][0]['status'], 'wrong layout')

    def test_threads_that_never_reached_the_ranks(self):
        """E11"""
        point = self.with_bad(make_record(8, 4))
        self.assertIn('asked for 8 ranks x 1 threads, got 8 x 4', point['marks'][0]['detail'])

    def test_other_bits(self):
        study = self.scaling(lambda cores: 0.01 / cores, cores=(1, 2))
        study.point(4, 1, [make_record(4, 1, 0.0025, checksum='00000000000000bb')] * 3)
        point = self.summarise(study)['4x1']
        self.assertEqual((point['good_runs'], point['marks'][0]['status']), (0, 'wrong bits'))

    def test_too_short_to_time(self):
        record = make_record()
        record.update(sweeps=1, first_block_sweeps=1)
        study = self.study(repeats=1)
        study.point(1, 1, [record])
        self.assertEqual(self.summarise(study)['1x1']['marks'][0]['status'], 'no rate')

    def test_missing_repeats(self):
        study = self.scaling(lambda cores: 0.01 / cores, cores=(1, 2))
        study.plan['repeats'] = 5
        point = self.summarise(study)['2x1']
        mark = point['marks'][0]
        self.assertEqual((point['good_runs'], mark['status'], mark['runs']), (3, 'missing', 2))
        self.assertAlmostEqual(point['speedup'], 2)

    def test_one_bad_repeat_of_three_does_not_count(self):
        study = self.study()
        study.point(1, 1, [make_record(sweep_s=0.01), make_record(sweep_s=9, problems=['unbound']),
                           make_record(sweep_s=0.03)])
        point = self.summarise(study)['1x1']
        self.assertAlmostEqual(point['sweep_s']['median'], 0.02)
        self.assertEqual(point['good_runs'], 2)

    def test_warm_up_does_not_count(self):
        study = self.study(repeats=1)
        name = study.point(1, 1, [make_record(sweep_s=0.01)])
        study.run(name, 0, make_record(sweep_s=9), warmup=True)
        self.assertAlmostEqual(self.summarise(study)['1x1']['sweep_s']['max'], 0.01)

    def test_no_good_point_at_all(self):
        study = self.study()
        study.point(1, 1, [None] * 3)
        self.summarise(study)
        self.assertIn('no answer yet', wording.answer(self.found))
        self.assertIn('no base', table.caption(self.found))


class BuildTest(SummaryCase):
    def told(self, **build):
        study = self.study(repeats=3)
        records = [make_record() for _ in range(3)]
        for record in records:
            record['build'].update(build)
        study.point(1, 1, records)
        self.summarise(study)
        return wording.warnings(self.found)

    def test_slow_builds_are_told_first(self):
        """G06: times of a debug or sanitizer build say nothing."""
        self.assertEqual(self.told(build_type='debug')[0], 'the program is a debug build: its times say nothing')

    def test_sanitizers(self):
        self.assertIn('with sanitizers', self.told(sanitized=True)[0])

    def test_sources_that_differ_from_the_commit(self):
        """E08"""
        self.assertIn('the sources differed from commit', self.told(dirty=True)[0])

    def test_threads_that_did_not_sweep(self):
        record = make_record(1, 2)
        record['layout']['sweeping_threads'] = 1
        study = self.study(repeats=1)
        study.point(1, 2, [record])
        self.summarise(study)
        self.warned('1 of 2 threads swept')


class MixedTest(SummaryCase):
    """Points that are unlike the rest are named with what differs, and left out."""

    def mixed(self, change, cores=(1, 2, 4)):
        study = self.scaling(lambda count: 0.01 / count, cores=cores)
        records = [make_record(8, 1, 0.01 / 8) for _ in range(3)]
        for record in records:
            change(record)
        study.point(8, 1, records)
        points = self.summarise(study)
        self.assertNotIn('speedup', points['8x1'])
        self.assertEqual([points[f'{count}x1']['mixed'] for count in cores], [[]] * len(cores))
        fit = self.found['series'][0]['amdahl']
        self.assertEqual(fit['core_counts'] if fit else 1, len(cores))
        self.warned('mixed: 8 x 1 differs from the rest in')
        return points['8x1']['mixed']

    def test_binding_that_flips_with_the_rank_count(self):
        """A03: bound up to some count, unbound beyond."""
        def unbound(record):
            record['binding'] = synthetic.make_binding(8, 1, bound=False, pus_a_thread=8)
        text, = self.mixed(unbound)
        self.assertIn('binding (bound True and False, processors a thread [1.0] and [8.0])', text)

    def test_build(self):
        text, = self.mixed(lambda record: record['build'].update(commit='f' * 40))
        self.assertIn('build (commit ', text)

    def test_host(self):
        """A28: never the local machine's layout for another host."""
        text, = self.mixed(lambda record: record['machine'].update(hosts=['other']))
        self.assertIn('host (vm and other)', text)

    def test_kernel(self):
        text, = self.mixed(lambda record: record['plan'].update(kernel='streaming'))
        self.assertIn('kernel (kernel vector and streaming)', text)

    def test_environment(self):
        text, = self.mixed(lambda record: record['environment'].update(UCX_TLS='tcp'))
        self.assertIn('environment (UCX_TLS None and tcp)', text)

    def test_settings_of_a_launch_do_not_count(self):
        study = self.study(repeats=1)
        for ranks in (1, 2):
            record = make_record(ranks, 1, 0.01 / ranks)
            record['environment'].update(PMI_SIZE=str(ranks), SLURM_STEP_ID=str(ranks), OMP_NUM_THREADS='7')
            study.point(ranks, 1, [record])
        self.assertEqual(self.summarise(study)['2x1']['mixed'], [])

    def test_the_smallest_layout_decides_where_votes_are_even(self):
        self.mixed(lambda record: record['build'].update(dirty=True), cores=(1,))

    def test_repeats_of_one_point(self):
        study = self.scaling(lambda count: 0.01 / count, cores=(1, 2))
        records = [make_record(4, 1, 0.0025) for _ in range(3)]
        records[2]['build']['compiler'] = 'clang 14'
        study.point(4, 1, records)
        self.assertIn('compiler', self.summarise(study)['4x1']['mixed'][0])

    def test_an_axis_may_change_the_kernel(self):
        study = self.study()
        for kernel in ('vector', 'streaming'):
            records = [make_record(1, 1, 0.01) for _ in range(3)]
            for record in records:
                record['plan']['kernel'] = kernel
            study.point(1, 1, records, axis=[('parallel.kernel', kernel)])
        self.assertEqual([point['mixed'] for point in self.summarise(study).values()], [[], []])


class WeakTest(SummaryCase):
    def weak(self, rows):
        study = self.study(kind='weak')
        for cores, ny in rows:
            time_s = 0.011 if cores > 1 else 0.01
            study.point(cores, 1, [make_record(cores, 1, time_s, grid=(2000, ny))] * 3)
        return self.summarise(study)

    def test_efficiency_and_scaled_speedup(self):
        points = self.weak([(1, 1000), (2, 2000), (4, 4000)])
        self.assertAlmostEqual(points['4x1']['efficiency'], 1 / 1.1)
        self.assertAlmostEqual(points['4x1']['scaled_speedup'], 4 / 1.1)
        self.assertAlmostEqual(points['4x1']['gustafson_serial_fraction'], (4 - 4 / 1.1) / 3)
        self.assertIn('takes 1.1 times as long as on 1 core', wording.answer(self.found))

    def test_global_and_local_sizes(self):
        """E01: a row names both."""
        point = self.weak([(1, 1000), (2, 2000)])['2x1']
        self.assertEqual((point['global_points'], point['local_points']), ([2000, 2000], [(2000, 1000)]))
        self.assertEqual(point['points_a_core'], [2e6, 2e6])

    def test_points_a_core_that_differ(self):
        """E01: a grid that did not grow is no weak scaling."""
        points = self.weak([(1, 1000), (2, 1000)])
        self.assertIn('-50.0 % against the base', points['2x1']['notes'][0])
        self.assertEqual(self.weak_again([(1, 1000), (2, 2018)])['2x1']['notes'], [])
        self.assertIn('+2.0 %', self.weak_again([(1, 1000), (2, 2040)])['2x1']['notes'][0])

    def weak_again(self, rows):
        self.folder /= 'again'
        return self.weak(rows)


class MatrixTest(SummaryCase):
    def matrix(self, times):
        study = self.study(kind='matrix')
        for (ranks, threads), samples in times.items():
            study.point(ranks, threads, [make_record(ranks, threads, sample) for sample in samples])
        return self.summarise(study)

    def test_fastest_and_slowest(self):
        """C16, E15: all combinations of ranks and threads, not one."""
        self.matrix({(1, 4): (0.02, 0.021, 0.019), (2, 2): (0.01, 0.011, 0.009),
                     (4, 1): (0.015, 0.016, 0.014)})
        text = wording.answer(self.found)
        self.assertIn('The fastest of 3 is 2 ranks of 2 threads with 10 ms a sweep; the slowest, 1 rank of 4 '
                      'threads, takes 2 times as long. All its repeats are faster', text)

    def test_overlapping_repeats_are_not_told_apart(self):
        self.matrix({(1, 4): (0.010, 0.012, 0.014), (4, 1): (0.009, 0.011, 0.013)})
        self.assertIn('does not tell it apart from 1 x 4: repeats overlap', wording.answer(self.found))

    def test_variants_against_the_first(self):
        study = self.study(kind='matrix')
        for halo, time_s in (('sendrecv', 0.02), ('shared', 0.01)):
            study.point(4, 1, [make_record(4, 1, time_s)] * 3, axis=[('parallel.halo', halo)])
        points = self.summarise(study)
        self.assertAlmostEqual(points['4x1-halo-shared']['speedup_over_first_variant'], 2)
        self.assertIn('halo shared', table.as_text(self.found))


class DamageTest(SummaryCase):
    """Files that someone, or a crash, has spoilt."""

    def one(self):
        study = self.study()
        study.point(1, 1, [make_record(1, 1, 0.01)] * 3)
        study.point(2, 1, [make_record(2, 1, 0.005)] * 3)
        return study

    def test_records_of_another_form_are_no_records(self):
        whole = make_record(2, 1, 0.005)
        for name, value in (('phases', 5), ('sweeps', 'x'), ('layout', [1]), ('binding', {'ranks': [5]}),
                            ('binding', {'ranks': [{'rank': 0}]}), ('parts', [{}]), ('machine', 'vm')):
            with self.subTest(name, value=value):
                self.folder /= 'next'
                study = self.one()
                study.run('2x1', 4, {**whole, name: value})
                point = self.summarise(study)['2x1']
                self.assertEqual((point['marks'][0]['status'], point['good_runs']), ('no record', 3))

    def test_lines_of_the_log_that_are_no_runs_are_passed_over(self):
        study = self.one()
        folder = study.write()
        before = summary.summarise(folder)
        with (folder / 'log.jsonl').open('ab') as file:
            file.write(b'5\n"run"\n{"run": "round1-1x1"}\n{"session": 4}\n\xff\n')
        self.assertEqual(summary.summarise(folder), before)

    def test_plan_of_another_version(self):
        study = self.one()
        folder = study.write()
        for text in ('{}', '{"schema_version": 1}', json.dumps({**study.plan, 'schema_version': 0}),
                     json.dumps({**study.plan, 'points': [{}]})):
            (folder / 'study.json').write_text(text)
            self.assert_problem(6, 'not of the form that this version', summary.summarise, folder)

    def test_predictions_that_are_none(self):
        study = self.one()
        found = self.summarise(study) and self.found
        for text in ('{}', '{"points": [3]}', '{"points": {"1x1": {"sweep_s": "x"}}}'):
            (study.folder / prediction.FILE).write_text(text)
            self.assert_problem(6, 'holds no predictions', prediction.add_predictions, study.folder, found)


class OutputTest(SummaryCase):
    def write(self):
        study = self.scaling(lambda cores: 0.01 / cores, cores=(1, 2))
        study.point(4, 1, [None, make_record(4, 1, problems=['unbound']), make_record(4, 1, 0.0025)])
        self.summarise(study)
        outputs.write_all(study.folder, self.found)
        return study.folder

    def test_csv_has_a_row_a_sample(self):
        """E04, E05: raw samples, with everything that tells rows apart."""
        with (self.write() / 'results.csv').open(newline='') as file:
            rows = list(csv.DictReader(file))
        self.assertEqual(len(rows), 9)
        self.assertEqual([row['status'] for row in rows[6:]], ['no record', 'mis-bound', 'ok'])
        for column in ('ranks', 'threads', 'nodes', 'process_grid', 'binding_problems', 'mpi', 'compiler',
                       'sweeps', 'round', 'warmup', 'global_nx', 'global_ny'):
            self.assertNotEqual(rows[7][column], '', column)
        self.assertEqual(sorted(float(row['sweep_s']) for row in rows[:3]), [0.0099, 0.01, 0.0101])

    def test_summary_is_strict_json(self):
        def refuse(name):
            raise ValueError(name)
        found = json.loads((self.write() / 'summary.json').read_text(), parse_constant=refuse)
        self.assertEqual(len(found['points']), 3)

    def test_extrap_has_a_line_a_point_and_phase(self):
        lines = [json.loads(line) for line in (self.write() / 'extrap.jsonl').read_text().splitlines()]
        whole = [line for line in lines if line['callpath'] == 'jacobi']
        self.assertEqual([line['params'] for line in whole],
                         [{'ranks': count, 'threads': 1} for count in (1, 2, 4)])
        self.assertEqual([len(line['value']) for line in whole], [3, 3, 1])
        self.assertIn('jacobi->transfer', {line['callpath'] for line in lines})
        self.assertNotIn('jacobi->wait', {line['callpath'] for line in lines})

    def test_extrap_takes_a_numeric_axis_as_parameter(self):
        study = self.study(repeats=1)
        for depth in ('1', '4'):
            axis = [('parallel.halo_depth', depth), ('parallel.halo', 'shared')]
            study.point(2, 1, [make_record(2, 1)], axis=axis)
        lines = list(outputs.extrap_lines(summary.summarise(study.write())))
        self.assertEqual(lines[0]['params'], {'ranks': 2, 'threads': 1, 'halo_depth': 1.0})
        self.assertEqual(lines[0]['callpath'], 'jacobi->shared')


if __name__ == '__main__':
    unittest.main()
