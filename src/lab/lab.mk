# Pages, what they share and the library they draw with are part of the program.
$(BUILD)/obj/lab/pages/page_file.o: $(wildcard src/lab/pages/page_*.css src/lab/pages/page_*.js) third_party/chartjs/chart.umd.min.js
$(BUILD)/obj/lab/pages/page.o: src/lab/pages/page.html
$(BUILD)/obj/lab/pages/run_page.o: $(wildcard src/lab/pages/run_*.html src/lab/pages/run_*.js)
# So are the version of the timing, and reasons of claims.
$(BUILD)/obj/lab/claims/claim_stored.o: results/timing.tsv
$(BUILD)/obj/lab/claims/claim_reason.o: results/reasons.toml
# So is the table of published claims.
$(BUILD)/obj/lab/claims/claim_groups.o: src/lab/claims/claims.tsv
# And so are the readings of the papers.
$(BUILD)/obj/lab/reading.o: $(wildcard readings/*.toml)
