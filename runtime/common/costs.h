/* SPDX-License-Identifier: MIT */
/*
 * costs.h - numbers of a GPU that launchers, the emulation and the compiler share.
 *
 * Generated from machines/hopper.machine by machines/table.awk: `make update-costs` writes it anew.
 */
#ifndef WS_COMMON_COSTS_H
#define WS_COMMON_COSTS_H

enum { WS_HOPPER_PROCESSORS = 132, WS_HOPPER_SHARED_BYTES = 232448 };

typedef struct {
    double line_whole;
    double line_half;
    double line_sector;
    double line_inside;
    double overlap;
    double cluster_wait;
    double least_gain;
    double idle_power;
    double round_trip;
    double iteration;
    double steady;
    double launch;
    double cluster_launch;
    double block_start;
    double unplaced;
} ws_estimates;

static const ws_estimates ws_estimates_hopper = {
    1.58,  /* line_whole */
    2.48,  /* line_half */
    2.62,  /* line_sector */
    3.85,  /* line_inside */
    5,     /* overlap */
    1.04,  /* cluster_wait */
    1.05,  /* least_gain */
    0.285, /* idle_power */
    800,   /* round_trip */
    15,    /* iteration */
    0.75,  /* steady */
    2500,  /* launch */
    1500,  /* cluster_launch */
    1100,  /* block_start */
    11,    /* unplaced */
};

#endif
