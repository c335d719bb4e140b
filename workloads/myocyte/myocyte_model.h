// The equations of a heart muscle cell: its electrical model after Shannon, Wang, Puglisi, Weber and Bers (2004), and the calcium
// signalling of calmodulin, its kinase and calcineurin in three compartments after Saucerman and Bers (2008), both shortened. State, rates
// and intermediate values are floats, constants are doubles, so that most of the arithmetic is in double precision.
//
// For the kernel and for the host's check alike: who includes it says in MYOCYTE_FUNCTION what a function is, and has exp, log, pow and
// fmod that go by the type of what they are given.

// Where values lie in the state. The last seven of the cell are what crossed the membrane: nothing depends on them.
enum {
  GATE_M, GATE_H, GATE_J, GATE_D, GATE_F, BLOCK_DYAD, BLOCK_RIM, TO_SLOW_X, TO_SLOW_Y, TO_FAST_X, TO_FAST_Y, RAPID_X, SLOW_X,
  RELEASE_REST, RELEASE_OPEN, RELEASE_SHUT, SODIUM_ON_DYAD, SODIUM_ON_RIM, TROPONIN_LOW, TROPONIN_HIGH, TROPONIN_MG, CALMODULIN,
  MYOSIN, MYOSIN_MG, STORE_WALL, LOW_DYAD, LOW_RIM, HIGH_DYAD, HIGH_RIM, CALSEQUESTRIN, CALCIUM_STORE, SODIUM_DYAD, SODIUM_RIM,
  SODIUM, POTASSIUM, CALCIUM_DYAD, CALCIUM_RIM, CALCIUM, VOLTAGE, CELL_READS, CROSSED = CELL_READS, CELL_EQUATIONS = CROSSED + 7,
  MODULE_EQUATIONS = 15, MODULES = 3, EQUATIONS = CELL_EQUATIONS + MODULES * MODULE_EQUATIONS,
  CYCLE = 0, MODULE_PARAMETERS = 5, MAGNESIUM = 1 + MODULES * MODULE_PARAMETERS, PARAMETERS = MAGNESIUM + 2
};

// Faraday's constant over the gas constant and 310 K, in 1/mV; capacity of the membrane; volumes of the whole and its parts; shares of the
// channels that face the dyad.
#define MYOCYTE_FRT        (96485.0 / 8314.0 / 310.0)
#define MYOCYTE_FARADAY    96485.0
#define MYOCYTE_CAPACITY   1.381e-10
#define MYOCYTE_CELL       3.3e-11
#define MYOCYTE_BULK       (0.65 * MYOCYTE_CELL)
#define MYOCYTE_STORE      (0.035 * MYOCYTE_CELL)
#define MYOCYTE_RIM        (0.02 * MYOCYTE_CELL)
#define MYOCYTE_DYAD       (0.000539 * MYOCYTE_CELL)
#define MYOCYTE_FACE       0.11
#define MYOCYTE_FACE_CA    0.9
#define MYOCYTE_SODIUM_OUT 140.0
#define MYOCYTE_POTASSIUM  5.4
#define MYOCYTE_CA_OUT     1.8
#define MYOCYTE_MG         1.0

// Currents by ion and place; the fluxes of the store.
struct myocyte_currents {
  float sodium_dyad, sodium_rim, potassium, chloride, calcium_dyad, calcium_rim;
  float pump, release, leak;
};

// 1 / (1 + exp((half - v) / slope)), with a float inside.
MYOCYTE_FUNCTION float myocyte_open(float v, double half, double slope) {
  float x = (half - v) / slope;
  return 1.0 / (1.0 + exp(x));
}

MYOCYTE_FUNCTION float myocyte_e(float x) { return exp(x); }

MYOCYTE_FUNCTION float myocyte_nernst(double outside, float inside, double charge) {
  float ratio = outside / inside;
  return log(ratio) / MYOCYTE_FRT / charge;
}

// Gates of the sodium channel.
MYOCYTE_FUNCTION void myocyte_sodium_gates(const float *y, float *rate) {
  float v = y[VOLTAGE], h_up, h_down, j_up, j_down;
  float m_up = 0.32 * (v + 47.13) / (1.0 - exp(-0.1 * (v + 47.13))), m_down = 0.08 * myocyte_e(-v / 11.0);
  if (v >= -40.0) {
    h_up = j_up = 0.0;
    h_down = 1.0 / (0.13 * (1.0 + exp(-(v + 10.66) / 11.1)));
    j_down = 0.3 * myocyte_e(-2.535e-7 * v) / (1.0 + exp(-0.1 * (v + 32.0)));
  } else {
    h_up = 0.135 * myocyte_e((80.0 + v) / -6.8);
    h_down = 3.56 * myocyte_e(0.079 * v) + 3.1e5 * myocyte_e(0.35 * v);
    j_up = (-1.2714e5 * myocyte_e(0.2444 * v) - 3.474e-5 * myocyte_e(-0.04391 * v)) * (v + 37.78) / (1.0 + exp(0.311 * (v + 79.23)));
    j_down = 0.1212 * myocyte_e(-0.01052 * v) / (1.0 + exp(-0.1378 * (v + 40.14)));
  }
  rate[GATE_M] = m_up * (1.0 - y[GATE_M]) - m_down * y[GATE_M];
  rate[GATE_H] = h_up * (1.0 - y[GATE_H]) - h_down * y[GATE_H];
  rate[GATE_J] = j_up * (1.0 - y[GATE_J]) - j_down * y[GATE_J];
}

// The sodium channel, its leak, and the pump that exchanges sodium for potassium.
MYOCYTE_FUNCTION float myocyte_sodium(const float *y, struct myocyte_currents *i) {
  float v = y[VOLTAGE];
  float dyad = v - myocyte_nernst(MYOCYTE_SODIUM_OUT, y[SODIUM_DYAD], 1.0),
        rim = v - myocyte_nernst(MYOCYTE_SODIUM_OUT, y[SODIUM_RIM], 1.0);
  float open = 16.0 * pow(y[GATE_M], 3.0) * y[GATE_H] * y[GATE_J] + 0.297e-3;
  float sigma = (exp(MYOCYTE_SODIUM_OUT / 67.3) - 1.0) / 7.0;
  float by_voltage = 1.0 / (1.0 + 0.1245 * myocyte_e(-0.1 * v * MYOCYTE_FRT) + 0.0365 * sigma * myocyte_e(-v * MYOCYTE_FRT));
  float most = 1.90719 * by_voltage * MYOCYTE_POTASSIUM / (MYOCYTE_POTASSIUM + 1.5);
  float pump_dyad = MYOCYTE_FACE * most / (1.0 + pow(11.0 / y[SODIUM_DYAD], 4.0));
  float pump_rim = (1.0 - MYOCYTE_FACE) * most / (1.0 + pow(11.0 / y[SODIUM_RIM], 4.0));
  i->sodium_dyad = MYOCYTE_FACE * open * dyad + 3.0 * pump_dyad;
  i->sodium_rim = (1.0 - MYOCYTE_FACE) * open * rim + 3.0 * pump_rim;
  return pump_dyad + pump_rim;
}

// A gate that goes to its steady value in a time of its own.
MYOCYTE_FUNCTION float myocyte_relax(float value, float steady, float time) { return (steady - value) / time; }

// The two transient outward currents.
MYOCYTE_FUNCTION float myocyte_transient(const float *y, float *rate, float beyond) {
  float v = y[VOLTAGE], x = myocyte_open(v, -3.0, 15.0), shut = myocyte_open(v, -33.5, -10.0), late = myocyte_open(v, -60.0, -10.0);
  float slow = 9.0 * myocyte_open(v, -3.0, -15.0) + 0.5, fast = 3.5 * myocyte_e(-v * v / 900.0) + 1.5;
  rate[TO_SLOW_X] = myocyte_relax(y[TO_SLOW_X], x, slow);
  rate[TO_SLOW_Y] = myocyte_relax(y[TO_SLOW_Y], shut, 3000.0 * late + 30.0);
  rate[TO_FAST_X] = myocyte_relax(y[TO_FAST_X], x, fast);
  rate[TO_FAST_Y] = myocyte_relax(y[TO_FAST_Y], shut, 20.0 * shut + 20.0);
  return 0.06 * y[TO_SLOW_X] * (y[TO_SLOW_Y] + 0.5 * shut) * beyond + 0.02 * y[TO_FAST_X] * y[TO_FAST_Y] * beyond;
}

// The delayed rectifiers, whose slow one depends on calcium, and the inward rectifier.
MYOCYTE_FUNCTION float myocyte_rectifiers(const float *y, float *rate, float beyond) {
  float v = y[VOLTAGE];
  float rapid = 1.0 / (1.38e-3 * (v + 7.0) / (1.0 - exp(-0.123 * (v + 7.0))) + 6.1e-4 * (v + 10.0) / (exp(0.145 * (v + 10.0)) - 1.0));
  float slow = 1.0 / (7.19e-5 * (v + 30.0) / (1.0 - exp(-0.148 * (v + 30.0))) + 1.31e-4 * (v + 30.0) / (exp(0.0687 * (v + 30.0)) - 1.0));
  rate[RAPID_X] = myocyte_relax(y[RAPID_X], myocyte_open(v, -50.0, 7.5), rapid);
  rate[SLOW_X] = myocyte_relax(y[SLOW_X], myocyte_open(v, 1.5, 16.7), slow);
  float p_dyad = -log(y[CALCIUM_DYAD]) / 2.302585 + 3.0, p_rim = -log(y[CALCIUM_RIM]) / 2.302585 + 3.0;
  float by_dyad = 0.07 * (0.057 + 0.19 * myocyte_open(p_dyad, 7.2, -0.6)), by_rim = 0.07 * (0.057 + 0.19 * myocyte_open(p_rim, 7.2, -0.6));
  float mixed = (MYOCYTE_POTASSIUM + 0.01833 * MYOCYTE_SODIUM_OUT) / (y[POTASSIUM] + 0.01833 * y[SODIUM]);
  float from = v - log(mixed) / MYOCYTE_FRT;
  float inward = 1.02 * myocyte_open(beyond, 59.215, -1.0 / 0.2385);
  float outward = (0.49124 * myocyte_e(0.08032 * (beyond + 5.476)) + myocyte_e(0.06175 * (beyond - 594.31))) *
                  myocyte_open(beyond, -4.753, 1.0 / 0.5143);
  float all = 0.03 * y[RAPID_X] * myocyte_open(v, -33.0, -22.4) * beyond + 0.9 * inward / (inward + outward) * beyond;
  all += (MYOCYTE_FACE * by_dyad + (1.0 - MYOCYTE_FACE) * by_rim) * y[SLOW_X] * y[SLOW_X] * from;
  return all + 0.001 * myocyte_open(v, 44.78, 5.98) * beyond;
}

// What an ion's concentrations on both sides drive through an open channel (Goldman, Hodgkin and Katz).
MYOCYTE_FUNCTION float myocyte_drive(float v, double permeability, double charge, float inside, double outside) {
  float x = charge * v * MYOCYTE_FRT, grown = exp(x);
  return permeability * charge * x * MYOCYTE_FARADAY * 0.75 * (inside * grown - outside) / (grown - 1.0);
}

// The calcium channel, which lets some sodium and potassium pass.
MYOCYTE_FUNCTION void myocyte_calcium_channel(const float *y, float *rate, struct myocyte_currents *i) {
  float v = y[VOLTAGE], steady = myocyte_open(v, -14.5, 6.0), from = v + 14.5;
  float time = steady * (1.0 - exp(-from / 6.0)) / (0.035 * from);
  float bell = 0.0337 * from;
  rate[GATE_D] = myocyte_relax(y[GATE_D], steady, time);
  rate[GATE_F] = myocyte_relax(y[GATE_F], myocyte_open(v, -35.06, -3.6) + 0.6 * myocyte_open(v, 50.0, 20.0),
                               1.0 / (0.0197 * myocyte_e(-pow(bell, 2.0)) + 0.02));
  rate[BLOCK_DYAD] = 1.7 * y[CALCIUM_DYAD] * (1.0 - y[BLOCK_DYAD]) - 11.9e-3 * y[BLOCK_DYAD];
  rate[BLOCK_RIM] = 1.7 * y[CALCIUM_RIM] * (1.0 - y[BLOCK_RIM]) - 11.9e-3 * y[BLOCK_RIM];
  float open = 0.45 * y[GATE_D] * y[GATE_F], dyad = MYOCYTE_FACE_CA * (1.0 - y[BLOCK_DYAD]),
        rim = (1.0 - MYOCYTE_FACE_CA) * (1.0 - y[BLOCK_RIM]);
  i->calcium_dyad = open * dyad * myocyte_drive(v, 5.4e-4, 2.0, y[CALCIUM_DYAD], MYOCYTE_CA_OUT);
  i->calcium_rim = open * rim * myocyte_drive(v, 5.4e-4, 2.0, y[CALCIUM_RIM], MYOCYTE_CA_OUT);
  i->sodium_dyad += open * dyad * myocyte_drive(v, 1.5e-8, 1.0, y[SODIUM_DYAD], MYOCYTE_SODIUM_OUT);
  i->sodium_rim += open * rim * myocyte_drive(v, 1.5e-8, 1.0, y[SODIUM_RIM], MYOCYTE_SODIUM_OUT);
  i->potassium += open * (dyad + rim) * myocyte_drive(v, 2.7e-7, 1.0, y[POTASSIUM], MYOCYTE_POTASSIUM);
}

// Three sodium ions in for one of calcium out.
MYOCYTE_FUNCTION float myocyte_exchanger(float v, float sodium, float calcium) {
  float sodium3 = pow(sodium, 3.0), outside3 = MYOCYTE_SODIUM_OUT * MYOCYTE_SODIUM_OUT * MYOCYTE_SODIUM_OUT;
  float active = 1.0 / (1.0 + pow(0.256e-3 / calcium, 3.0)), grown = myocyte_e((0.35 - 1.0) * v * MYOCYTE_FRT);
  float in = myocyte_e(0.35 * v * MYOCYTE_FRT) * sodium3 * MYOCYTE_CA_OUT, out = grown * outside3 * calcium;
  float busy = 3.59e-3 * outside3 * (1.0 + pow(sodium / 12.29, 3.0)) + pow(87.5, 3.0) * calcium * (1.0 + calcium / 3.59e-3) +
               1.3 * sodium3 + sodium3 * MYOCYTE_CA_OUT + outside3 * calcium;
  return 9.0 * active * (in - out) / busy / (1.0 + 0.27 * grown);
}

// The membrane's calcium pump and its leak.
MYOCYTE_FUNCTION float myocyte_removal(float v, float calcium) {
  float pumped = pow(calcium, 1.6);
  return 0.0673 * pumped / (pow(0.5e-3, 1.6) + pumped) + 2.513e-4 * (v - myocyte_nernst(MYOCYTE_CA_OUT, calcium, 2.0));
}

// Release channels, pump and leak of the store.
MYOCYTE_FUNCTION void myocyte_store(const float *y, float *rate, struct myocyte_currents *i) {
  float calcium = y[CALCIUM_DYAD], stored = y[CALCIUM_STORE], rest = y[RELEASE_REST], open = y[RELEASE_OPEN], shut = y[RELEASE_SHUT];
  float sense = 15.0 - (15.0 - 1.0) / (1.0 + pow(0.45 / stored, 2.5));
  float opening = 10.0 / sense, shutting = 0.5 * sense, both = 1.0 - rest - open - shut;
  float square = pow(calcium, 2.0);
  rate[RELEASE_REST] = 0.005 * both - shutting * calcium * rest - (opening * square * rest - 0.06 * open);
  rate[RELEASE_OPEN] = opening * square * rest - 0.06 * open - (shutting * calcium * open - 0.005 * shut);
  rate[RELEASE_SHUT] = shutting * calcium * open - 0.005 * shut - (0.06 * shut - opening * square * both);
  i->release = 25.0 * open * (stored - calcium);
  i->leak = 5.348e-6 * (stored - calcium);
  float up = pow(y[CALCIUM] / 0.246e-3, 1.787), back = pow(stored / 1.7, 1.787);
  i->pump = 5.3114e-3 * (up - back) / (1.0 + up + back);
}

// A buffer with `room` places, of which `bound` are taken.
MYOCYTE_FUNCTION float myocyte_bind(double on, double off, float free, double room, float bound) {
  return on * free * (room - bound) - off * bound;
}

// Buffers; what they bind in the bulk, the dyad and the rim.
MYOCYTE_FUNCTION void myocyte_buffers(const float *y, float *rate, float *bulk, float *dyad, float *rim) {
  float calcium = y[CALCIUM], in_dyad = y[CALCIUM_DYAD], in_rim = y[CALCIUM_RIM];
  float troponin = 0.14 - y[TROPONIN_HIGH] - y[TROPONIN_MG], myosin = 0.14 - y[MYOSIN] - y[MYOSIN_MG];
  rate[SODIUM_ON_DYAD] = myocyte_bind(0.1e-3, 1e-3, y[SODIUM_DYAD], 7.561, y[SODIUM_ON_DYAD]);
  rate[SODIUM_ON_RIM] = myocyte_bind(0.1e-3, 1e-3, y[SODIUM_RIM], 1.65, y[SODIUM_ON_RIM]);
  rate[TROPONIN_LOW] = myocyte_bind(32.7, 19.6e-3, calcium, 0.07, y[TROPONIN_LOW]);
  rate[TROPONIN_HIGH] = 2.37 * calcium * troponin - 0.032e-3 * y[TROPONIN_HIGH];
  rate[TROPONIN_MG] = 3e-3 * MYOCYTE_MG * troponin - 3.33e-3 * y[TROPONIN_MG];
  rate[CALMODULIN] = myocyte_bind(34.0, 0.238, calcium, 0.024, y[CALMODULIN]);
  rate[MYOSIN] = 13.8 * calcium * myosin - 0.46e-3 * y[MYOSIN];
  rate[MYOSIN_MG] = 0.0157 * MYOCYTE_MG * myosin - 0.057e-3 * y[MYOSIN_MG];
  rate[STORE_WALL] = myocyte_bind(100.0, 0.06, calcium, 0.0171, y[STORE_WALL]);
  rate[LOW_DYAD] = myocyte_bind(100.0, 1.3, in_dyad, 4.62e-4 * MYOCYTE_BULK / MYOCYTE_DYAD, y[LOW_DYAD]);
  rate[LOW_RIM] = myocyte_bind(100.0, 1.3, in_rim, 0.03738 * MYOCYTE_BULK / MYOCYTE_RIM, y[LOW_RIM]);
  rate[HIGH_DYAD] = myocyte_bind(100.0, 0.03, in_dyad, 1.65e-4 * MYOCYTE_BULK / MYOCYTE_DYAD, y[HIGH_DYAD]);
  rate[HIGH_RIM] = myocyte_bind(100.0, 0.03, in_rim, 0.01335 * MYOCYTE_BULK / MYOCYTE_RIM, y[HIGH_RIM]);
  rate[CALSEQUESTRIN] = myocyte_bind(100.0, 65.0, y[CALCIUM_STORE], 2.6, y[CALSEQUESTRIN]);
  *bulk = rate[TROPONIN_LOW] + rate[TROPONIN_HIGH] + rate[CALMODULIN] + rate[MYOSIN] + rate[STORE_WALL];
  *dyad = rate[LOW_DYAD] + rate[HIGH_DYAD];
  *rim = rate[LOW_RIM] + rate[HIGH_RIM];
}

// Concentrations, from the currents, the fluxes of the store, diffusion and the buffers.
MYOCYTE_FUNCTION void myocyte_concentrations(const float *y, float *rate, const struct myocyte_currents *i) {
  float bulk, dyad, rim;
  myocyte_buffers(y, rate, &bulk, &dyad, &rim);
  float sodium = 1.8313e-14 * (y[SODIUM_RIM] - y[SODIUM_DYAD]), sodium_in = 1.6386e-12 * (y[SODIUM] - y[SODIUM_RIM]);
  float calcium = 8.2413e-13 * (y[CALCIUM_RIM] - y[CALCIUM_DYAD]), calcium_in = 3.7243e-12 * (y[CALCIUM] - y[CALCIUM_RIM]);
  rate[CALCIUM_STORE] = i->pump * MYOCYTE_BULK / MYOCYTE_STORE - i->leak * MYOCYTE_BULK / MYOCYTE_STORE - i->release - rate[CALSEQUESTRIN];
  rate[SODIUM_DYAD] = -i->sodium_dyad * MYOCYTE_CAPACITY / (MYOCYTE_DYAD * MYOCYTE_FARADAY) + sodium / MYOCYTE_DYAD - rate[SODIUM_ON_DYAD];
  rate[SODIUM_RIM] =
      -i->sodium_rim * MYOCYTE_CAPACITY / (MYOCYTE_RIM * MYOCYTE_FARADAY) + (sodium_in - sodium) / MYOCYTE_RIM - rate[SODIUM_ON_RIM];
  rate[SODIUM] = -sodium_in / MYOCYTE_BULK;
  rate[POTASSIUM] = -i->potassium * MYOCYTE_CAPACITY / (MYOCYTE_BULK * MYOCYTE_FARADAY);
  rate[CALCIUM_DYAD] = -i->calcium_dyad * MYOCYTE_CAPACITY / (MYOCYTE_DYAD * 2.0 * MYOCYTE_FARADAY) + calcium / MYOCYTE_DYAD - dyad +
                       i->release * MYOCYTE_STORE / MYOCYTE_DYAD + i->leak * MYOCYTE_BULK / MYOCYTE_DYAD;
  rate[CALCIUM_RIM] =
      -i->calcium_rim * MYOCYTE_CAPACITY / (MYOCYTE_RIM * 2.0 * MYOCYTE_FARADAY) + (calcium_in - calcium) / MYOCYTE_RIM - rim;
  rate[CALCIUM] = -i->pump - bulk - calcium_in / MYOCYTE_BULK;
}

// The electrical model: rates of the first CELL_EQUATIONS values at a time in ms.
MYOCYTE_FUNCTION void myocyte_cell(int time, const float *state, float *rate, float cycle) {
  float y[CELL_READS];
  for (int k = 0; k < CELL_READS; k++) y[k] = state[k];
  struct myocyte_currents i;
  float v = y[VOLTAGE], beyond = v - myocyte_nernst(MYOCYTE_POTASSIUM, y[POTASSIUM], 1.0);
  myocyte_sodium_gates(y, rate);
  float pump = myocyte_sodium(y, &i);
  i.potassium = myocyte_transient(y, rate, beyond) + myocyte_rectifiers(y, rate, beyond) - 2.0 * pump;
  float chloride = v - log(15.0 / 150.0) / MYOCYTE_FRT;
  i.chloride = 0.109625 * chloride * (MYOCYTE_FACE / (1.0 + 0.1 / y[CALCIUM_DYAD]) + (1.0 - MYOCYTE_FACE) / (1.0 + 0.1 / y[CALCIUM_RIM])) +
               9e-3 * chloride;
  myocyte_calcium_channel(y, rate, &i);
  float dyad = MYOCYTE_FACE * myocyte_exchanger(v, y[SODIUM_DYAD], y[CALCIUM_DYAD]);
  float rim = (1.0 - MYOCYTE_FACE) * myocyte_exchanger(v, y[SODIUM_RIM], y[CALCIUM_RIM]);
  i.sodium_dyad += 3.0 * dyad;
  i.sodium_rim += 3.0 * rim;
  i.calcium_dyad += MYOCYTE_FACE * myocyte_removal(v, y[CALCIUM_DYAD]) - 2.0 * dyad;
  i.calcium_rim += (1.0 - MYOCYTE_FACE) * myocyte_removal(v, y[CALCIUM_RIM]) - 2.0 * rim;
  myocyte_store(y, rate, &i);
  myocyte_concentrations(y, rate, &i);
  float stimulus = fmod((float)time, cycle) <= 5.0 ? 9.5 : 0.0;
  float sodium = i.sodium_dyad + i.sodium_rim, calcium = i.calcium_dyad + i.calcium_rim;
  rate[VOLTAGE] = stimulus - (sodium + i.potassium + i.chloride + calcium);
  rate[CROSSED] = sodium;
  rate[CROSSED + 1] = i.potassium;
  rate[CROSSED + 2] = i.chloride;
  rate[CROSSED + 3] = calcium;
  rate[CROSSED + 4] = i.release;
  rate[CROSSED + 5] = i.pump;
  rate[CROSSED + 6] = i.leak;
}

// Speed of a reaction that runs both ways.
MYOCYTE_FUNCTION float myocyte_react(double on, float from, float with, double off, float to) { return on * from * with - off * to; }

// Where values lie in a module: calmodulin free and with two and four calcium ions, alone and on its buffer; the kinase with calmodulin
// (two or four ions), phosphorylated, and without calmodulin; calcineurin with four ions, and with calmodulin of three kinds.
enum { CAM0, CAM2, CAM4, CAM0_B, CAM2_B, CAM4_B, KINASE2, KINASE4, TRAPPED4, TRAPPED2, AUTONOMOUS, CALCINEURIN, CN_CAM0, CN_CAM2, CN_CAM4 };
enum { TOTAL_CALMODULIN, TOTAL_BUFFER, TOTAL_KINASE, TOTAL_CALCINEURIN, TOTAL_PHOSPHATASE };

// One compartment's module: rates of its 15 values. Returns how fast it binds calcium. Concentrations are in micromol/l.
MYOCYTE_FUNCTION float myocyte_module(const float *state, float *rate, const float *parameters, float magnesium, float calcium) {
  float y[MODULE_EQUATIONS];
  for (int k = 0; k < MODULE_EQUATIONS; k++) y[k] = state[k];
  float all_buffer = parameters[TOTAL_BUFFER], all_kinase = parameters[TOTAL_KINASE], all_calcineurin = parameters[TOTAL_CALCINEURIN];
  float phosphatase = parameters[TOTAL_PHOSPHATASE], share = parameters[TOTAL_CALMODULIN] / 418.0, first, second;
  if (magnesium <= 1.0) {
    first = 0.0025 * (1.0 + 135.0 / 0.94 - magnesium / 0.012) * (1.0 + 135.0 / 8.1 + magnesium / 0.022);
    second = 0.128 * (1.0 + 135.0 / 0.64 + magnesium / 0.0014) * (1.0 + 135.0 / 13.0 - magnesium / 0.153);
  } else {
    first = 0.0025 * (1.0 + 135.0 / 0.94 - 1.0 / 0.012 + (magnesium - 1.0) / 0.060) *
            (1.0 + 135.0 / 8.1 + 1.0 / 0.022 + (magnesium - 1.0) / 0.068);
    second = 0.128 * (1.0 + 135.0 / 0.64 + 1.0 / 0.0014 + (magnesium - 1.0) / 0.005) *
             (1.0 + 135.0 / 13.0 - 1.0 / 0.153 + (magnesium - 1.0) / 0.150);
  }
  float square = pow(calcium, 2.0), fourth = pow(calcium, 4.0), on_first = 10.0 / first, on_second = 500.0 / second;
  float buffer = all_buffer - y[CAM0_B] - y[CAM2_B] - y[CAM4_B];
  float phosphorylated = y[TRAPPED4] + y[TRAPPED2] + y[AUTONOMOUS], bound = y[KINASE2] + y[KINASE4];
  float kinase = all_kinase * (1.0 - bound - phosphorylated),
        calcineurin = all_calcineurin - y[CALCINEURIN] - y[CN_CAM0] - y[CN_CAM2] - y[CN_CAM4];
  // Calmodulin and calcium: alone, on the buffer, on the kinase, on calcineurin.
  float a2 = on_first * square * y[CAM0] - 10.0 * y[CAM2], a4 = on_second * square * y[CAM2] - 500.0 * y[CAM4];
  float b2 = on_first / 100.0 * square * y[CAM0_B] - 10.0 / 100.0 * y[CAM2_B], b4 = on_second * square * y[CAM2_B] - 500.0 * y[CAM4_B];
  float k4 = on_second / 15.0 * square * y[KINASE2] - 500.0 / 15.0 * y[KINASE4],
        t4 = on_second / 15.0 * square * y[TRAPPED2] - 500.0 / 15.0 / 20.0 * y[TRAPPED4];
  float n4 = 2.0 * fourth * calcineurin - 1.0 * y[CALCINEURIN];
  float n2 = on_first / 60.0 * square * y[CN_CAM0] - 10.0 / 60.0 * y[CN_CAM2],
        n24 = on_second / 40.0 * square * y[CN_CAM2] - 500.0 / 40.0 * y[CN_CAM4];
  // Calmodulin and what it sits on.
  float to_b0 = myocyte_react(0.0014, y[CAM0], buffer, 0.0014, y[CAM0_B]),
        to_b2 = myocyte_react(1.4e-4, y[CAM2], buffer, 0.0014, y[CAM2_B]);
  float to_b4 = myocyte_react(1.4e-5, y[CAM4], buffer, 0.0014, y[CAM4_B]);
  float to_k2 = myocyte_react(0.015, y[CAM2], kinase / all_kinase, 0.3, y[KINASE2]),
        to_k4 = myocyte_react(0.15, y[CAM4], kinase / all_kinase, 0.006, y[KINASE4]);
  float to_t2 = myocyte_react(0.015, y[CAM2], y[AUTONOMOUS], 3e-4, y[TRAPPED2]),
        to_t4 = myocyte_react(0.15, y[CAM4], y[AUTONOMOUS], 3e-5, y[TRAPPED4]);
  float to_n0 = myocyte_react(1.6, y[CAM0], y[CALCINEURIN], 800.0, y[CN_CAM0]),
        to_n2 = myocyte_react(16.0, y[CAM2], y[CALCINEURIN], 0.65, y[CN_CAM2]);
  float to_n4 = myocyte_react(46.0, y[CAM4], y[CALCINEURIN], 1.3e-3, y[CN_CAM4]);
  // Neighbours in the kinase phosphorylate each other; a phosphatase undoes it.
  float active = bound + phosphorylated, speed = 0.055 * active + 0.0074 * pow(active, 2.0) + 0.015 * pow(active, 3.0);
  float undo = 1.7e-3 * phosphatase / (11.0 + all_kinase * phosphorylated);
  float up2 = speed * y[KINASE2] - undo * y[TRAPPED2], up4 = speed * y[KINASE4] - undo * y[TRAPPED4];
  rate[CAM0] = share * (-a2 - to_b0 - to_n0);
  rate[CAM2] = share * (a2 - a4 - to_b2 - to_n2 - all_kinase * (to_k2 + to_t2));
  rate[CAM4] = share * (a4 - to_b4 - to_n4 - all_kinase * (to_k4 + to_t4));
  rate[CAM0_B] = to_b0 - b2;
  rate[CAM2_B] = to_b2 + b2 - b4;
  rate[CAM4_B] = to_b4 + b4;
  rate[KINASE2] = to_k2 - k4 - up2;
  rate[KINASE4] = to_k4 + k4 - up4;
  rate[TRAPPED4] = to_t4 + t4 + up4;
  rate[TRAPPED2] = to_t2 - t4 + up2;
  rate[AUTONOMOUS] = -to_t2 - to_t4 - undo * y[AUTONOMOUS];
  rate[CALCINEURIN] = n4 - to_n0 - to_n2 - to_n4;
  rate[CN_CAM0] = to_n0 - n2;
  rate[CN_CAM2] = to_n2 + n2 - n24;
  rate[CN_CAM4] = to_n4 + n24;
  return 2.0 * (a2 + a4 + b2 + b4 + all_kinase * (k4 + t4) + n2 + n24) + 4.0 * n4;
}
