// Two Hazard3 cores with two AHB ports each; what the ports lead to is two_cores.cc.
//
// Ports of core 0 are in the lower half of each signal, fetches before loads and stores.
module two_cores (
	input wire clk,
	input wire rst_n,
	input wire [1:0] runs,
	output wire [127:0] haddr,
	output wire [7:0] htrans,
	output wire [11:0] hsize,
	output wire [3:0] hwrite,
	input wire [3:0] hready,
	output wire [127:0] hwdata,
	input wire [127:0] hrdata
);
	wire [1:0] unblock;
	wire [1:0] pwrup;
	genvar core;
	generate
	for (core = 0; core < 2; core = core + 1) begin: cores
		hazard3_cpu_2port #(
			.RESET_VECTOR (32'h40), .EXTENSION_ZBA (1), .EXTENSION_ZBB (1), .EXTENSION_ZBS (1), .EXTENSION_XH3POWER (1),
			.MULDIV_UNROLL (2), .MUL_FAST (1), .MUL_FASTER (1), .MULH_FAST (1),
			.FAST_BRANCHCMP (1), .BRANCH_PREDICTOR (1), .REDUCED_BYPASS (0)
		) cpu (
			.clk (clk), .clk_always_on (clk), .rst_n (rst_n && runs[core]),
			.pwrup_req (pwrup[core]), .pwrup_ack (pwrup[core]), .clk_en (),
			.unblock_out (unblock[core]), .unblock_in (unblock[1 - core]),
			.i_haddr (haddr[64 * core +: 32]), .i_htrans (htrans[4 * core +: 2]),
			.i_hsize (hsize[6 * core +: 3]), .i_hwrite (hwrite[2 * core]),
			.i_hready (hready[2 * core]), .i_hresp (1'b0), .i_hrdata (hrdata[64 * core +: 32]),
			.i_hwdata (hwdata[64 * core +: 32]),
			.i_hburst (), .i_hprot (), .i_hmastlock (), .i_hmaster (),
			.d_haddr (haddr[64 * core + 32 +: 32]), .d_htrans (htrans[4 * core + 2 +: 2]),
			.d_hsize (hsize[6 * core + 3 +: 3]), .d_hwrite (hwrite[2 * core + 1]),
			.d_hready (hready[2 * core + 1]), .d_hresp (1'b0), .d_hexokay (1'b1),
			.d_hrdata (hrdata[64 * core + 32 +: 32]), .d_hwdata (hwdata[64 * core + 32 +: 32]),
			.d_hburst (), .d_hprot (), .d_hmastlock (), .d_hmaster (), .d_hexcl (),
`ifdef TINYTUNE_FENCE_PORT
			.fence_i_vld (), .fence_d_vld (), .fence_rdy (1'b1),
`endif
			.dbg_req_halt (1'b0), .dbg_req_halt_on_reset (1'b0), .dbg_req_resume (1'b0),
			.dbg_halted (), .dbg_running (), .dbg_data0_rdata (32'd0), .dbg_data0_wdata (),
			.dbg_data0_wen (), .dbg_instr_data (32'd0), .dbg_instr_data_vld (1'b0),
			.dbg_instr_data_rdy (), .dbg_instr_caught_exception (), .dbg_instr_caught_ebreak (),
			.dbg_sbus_addr (32'd0), .dbg_sbus_write (1'b0), .dbg_sbus_size (2'd0),
			.dbg_sbus_vld (1'b0), .dbg_sbus_rdy (), .dbg_sbus_err (), .dbg_sbus_wdata (32'd0),
			.dbg_sbus_rdata (), .irq (32'd0), .soft_irq (1'b0), .timer_irq (1'b0)
		);
	end
	endgenerate
endmodule
